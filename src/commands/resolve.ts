/** From a line that begins with a slash to the command that is meant. */
import type { SlashCommand } from './command.ts';

export type Resolved =
  /** Not a command at all: send it to the model. */
  | { readonly kind: 'message' }
  | {
      readonly kind: 'command';
      readonly command: SlashCommand;
      readonly args: string;
      /** False when only the beginning of its name was typed: a skill of that very name comes before it. */
      readonly exact: boolean;
    }
  /** The beginning of several names, none of which is the shortest. */
  | { readonly kind: 'ambiguous'; readonly name: string; readonly meant: readonly string[] }
  | { readonly kind: 'unknown'; readonly name: string };

/**
 * Exact name or alias first, then what begins with the word: the only one, or the shortest one. Case does not matter,
 * `-` and `_` are the same. A line whose first word is an existing path is a message.
 */
export function resolveCommand(
  line: string,
  catalogue: readonly SlashCommand[],
  isExistingPath: (path: string) => boolean,
): Resolved {
  const match = /^\/(\S*)\s*([\s\S]*)$/.exec(line.trim());
  if (match === null) return { kind: 'message' };
  const [, word = '', args = ''] = match;
  const wanted = normalise(word);
  const named = catalogue.find((candidate) => namesOf(candidate).includes(wanted));
  if (named !== undefined) return { kind: 'command', command: named, args: args.trim(), exact: true };
  if (isExistingPath(`/${word}`)) return { kind: 'message' };
  const [command, ...others] = wanted === '' ? [] : shortestBeginningWith(wanted, catalogue);
  if (command === undefined) return { kind: 'unknown', name: `/${word}` };
  if (others.length === 0) return { kind: 'command', command, args: args.trim(), exact: false };
  return { kind: 'ambiguous', name: `/${word}`, meant: [command, ...others].map(({ name }) => `/${name}`) };
}

/** True for the whole name or an alias of a command, with `-` in the place of `_`. */
export function isBuiltIn(word: string, catalogue: readonly SlashCommand[]): boolean {
  return catalogue.some((command) => namesOf(command).includes(word));
}

/** Several only when none of them has a shorter name than the others; then all that begin with the word. */
function shortestBeginningWith(word: string, catalogue: readonly SlashCommand[]): readonly SlashCommand[] {
  const found = catalogue.flatMap((command) =>
    namesOf(command).flatMap((name) => (name.startsWith(word) ? [{ command, length: name.length }] : [])),
  );
  const least = Math.min(...found.map(({ length }) => length));
  const shortest = new Set(found.flatMap(({ command, length }) => (length === least ? [command] : [])));
  return shortest.size === 1 ? [...shortest] : [...new Set(found.map(({ command }) => command))];
}

function namesOf(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])].map(normalise);
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
