/** How values of environment variables are read. */
import type { Variables } from './variables.ts';

const TRUE_WORDS = new Set(['1', 'true', 'yes', 'on']);
const FALSE_WORDS = new Set(['0', 'false', 'no', 'off', '']);

/** True or false for `1 true yes on` / `0 false no off` and empty in any case; `undefined` for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

/** True only when the variable is set to one of the true words. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && parseBoolean(text) === true;
}

/** An environment variable whose value could not be used. */
export interface EnvProblem {
  readonly variable: string;
  /** What is wrong, what would be right, and what happens until then. Holds no secret. */
  readonly message: string;
}

const unitSeconds: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['min', 60],
  ['h', 3600],
]);

/** `instead` is what is used in place of the value. Without a `TERMINAL_` variable no command runs: it may be a limit. */
export function envProblem(
  variable: string,
  { value, reason, instead }: { readonly value: string; readonly reason: string; readonly instead: string },
): EnvProblem {
  const [, amount, unit = ''] = /^(\d{1,6}) ?([a-z]+)$/i.exec(value.trim()) ?? [];
  const factor = unitSeconds.get(unit.toLowerCase());
  const isSpan = amount !== undefined && factor !== undefined && /TIMEOUT|SECONDS/.test(variable);
  const wrong = isSpan ? `${reason} (write seconds: ${Number(amount) * factor})` : reason;
  return {
    variable,
    message: variable.startsWith('TERMINAL_')
      ? `${wrong}; no command runs until it is corrected, or removed from .env or the environment`
      : `${wrong}; ${instead}`,
  };
}

/** The value without the spaces around it; undefined when nothing is left. */
export function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

/** A number of 0 or more. Anything else counts as unset and is added to `problems`. */
export function readNumber(env: Variables, variable: string, problems: EnvProblem[]): number | undefined {
  const text = filled(env[variable]);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  const reason = `'${text.slice(0, 40)}' is not a number`;
  problems.push(envProblem(variable, { value: text, reason, instead: 'the default is used' }));
  return undefined;
}

/** The first of the variables that is set, with its value. */
export function firstSet(
  env: Variables,
  names: readonly string[],
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = env[name];
    if (value) return { name, value };
  }
  return undefined;
}

/** A URL without the user name and password in it. */
export function withoutUserInfo(url: string): string {
  return url.replaceAll(/\/\/[^/@\s]*@/g, '//***@');
}

/** A name the shell can carry. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
