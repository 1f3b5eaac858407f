/** `hermes_requires`: which versions of the program a distribution was made for. */
import { UserError } from '../../lib/errors.ts';

/** The release of the original whose homes and files this program keeps to; distributions name versions of that one. */
const COMPATIBLE_WITH = '0.19.0';

/** Throws `UserError` when the requirement is not met or cannot be understood. */
export function refuseUnmet(requirement: string | undefined): void {
  for (const part of (requirement ?? '').split(',')) {
    const text = part.trim();
    if (text === '') continue;
    const found = /^(>=|<=|==|!=|>|<)?\s*v?(\d+(?:\.\d+){0,3})$/.exec(text);
    if (found === null) throw new UserError(`The distribution asks for '${text}', which is no version.`);
    const [, operator = '>=', version = ''] = found;
    if (!holds(operator, compare(COMPATIBLE_WITH, version))) {
      throw new UserError(`The distribution needs hermes ${text}; this one is compatible with ${COMPATIBLE_WITH}.`);
    }
  }
}

function holds(operator: string, order: number): boolean {
  if (operator === '>=') return order >= 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  return operator === '==' ? order === 0 : order !== 0;
}

function compare(left: string, right: string): number {
  const parts = (version: string): number[] => version.split('.').map(Number);
  const [these, those] = [parts(left), parts(right)];
  for (let index = 0; index < Math.max(these.length, those.length); index += 1) {
    const order = (these[index] ?? 0) - (those[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
