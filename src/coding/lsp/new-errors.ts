/** Which errors an edit has brought: those that were there before are nobody's news, wherever they have moved. */
import type { Diagnostic } from './diagnostic.ts';

/** A file at one time. */
export interface Looked {
  readonly text: string;
  readonly errors: readonly Diagnostic[];
}

/** In the order of `after`. An old error that now stands once more counts as new once. */
export function newErrors(before: Looked, after: Looked): Diagnostic[] {
  const moved = lineMap(before.text, after.text);
  const nameAt = (error: Diagnostic, line: number | undefined): string => `${line} ${nameOf(error)}`;
  // First each error finds itself at its own place, then, in a part that was rewritten, one that reads the same.
  const known = new Bag(before.errors.map((error) => nameAt(error, moved(error.line))));
  const elsewhere = after.errors.filter((error) => !known.take(nameAt(error, error.line)));
  const unfound = before.errors.filter((error) => known.take(nameAt(error, moved(error.line))));
  const rewritten = new Bag(unfound.map(nameOf));
  return elsewhere.filter((error) => !rewritten.take(nameOf(error)));
}

function nameOf({ message, code, source }: Diagnostic): string {
  return JSON.stringify([message, code, source]);
}

/** Names, each as often as it was put in. */
class Bag {
  readonly #counts = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** False when there is none left. */
  take(name: string): boolean {
    const left = this.#counts.get(name) ?? 0;
    if (left > 0) this.#counts.set(name, left - 1);
    return left > 0;
  }
}

/** Where a line of the old text stands in the new one, by what both have in common at their beginning and their end. */
function lineMap(before: string, after: string): (line: number) => number | undefined {
  const old = before.split('\n');
  const now = after.split('\n');
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return (line) => {
    if (line < head) return line;
    return line >= old.length - tail ? line + now.length - old.length : undefined;
  };
}
