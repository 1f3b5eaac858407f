/** What went wrong with a server, in a line that names no secret. */
import { visibleLine } from './visible.ts';

const maxChars = 600;
const maxCauses = 3;
/** How far a chain of causes is followed: one that is a circle ends somewhere. */
const maxDepth = 8;

/** Up to three different causes, outermost first, one line, secrets masked. */
export function errorText(error: unknown): string {
  const causes: string[] = [];
  let current = error;
  for (let depth = 0; current instanceof Error && depth < maxDepth; depth++) {
    const said = visibleLine(current.message);
    if (said !== '' && !causes.some((cause) => cause.includes(said))) causes.push(said);
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  const text = causes.length === 0 ? visibleLine(String(error)) : causes.slice(0, maxCauses).join(': ');
  return maskCredentials(text).slice(0, maxChars).toWellFormed();
}

/** As the original masks what servers say: by shape, whatever the value is. */
export function maskCredentials(text: string): string {
  return text
    .replaceAll(/\b(?:gh[pousr]_|github_pat_|sk-)[\w-]+/g, mask)
    .replaceAll(/\b(Bearer\s+)[^\s"',;]+/gi, `$1${mask}`)
    .replaceAll(/\b((?:api[_-]?key|token|key|password|secret)\s*=\s*)[^\s&"',;]+/gi, `$1${mask}`);
}

const mask = '[REDACTED]';
