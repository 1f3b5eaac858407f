/** From a line that begins with a slash to the command that is meant. */
import type { SlashCommand } from './command.ts';

export type Resolved =
  /** Not a command at all: send it to the model. */
  | { readonly kind: 'message' }
  | {
      readonly kind: 'command';
      readonly command: SlashCommand;
      readonly args: string;
      /** False when only the beginning of its name was typed. */
      readonly exact: boolean;
    }
  /** A skill or a bundle, by its name or the beginning of it. */
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  /** The beginning of several names, none of which is the shortest. */
  | { readonly kind: 'ambiguous'; readonly name: string; readonly meant: readonly string[] }
  | { readonly kind: 'unknown'; readonly name: string };

/** What else than commands can stand behind a slash. */
export interface Surroundings {
  readonly isExistingPath: (path: string) => boolean;
  /** Names of skills and bundles, as they are typed. */
  readonly skills?: readonly string[];
}

/**
 * A command by its name or alias first, then a skill, then what begins with the word, commands and skills alike: the only
 * one, or the shortest one. Case does not matter, `-` and `_` are the same. A line whose first word is an existing path, or
 * has another slash as paths have, is a message; a slash alone is the beginning of nothing.
 */
export function resolveCommand(
  line: string,
  catalogue: readonly SlashCommand[],
  { isExistingPath, skills = [] }: Surroundings,
): Resolved {
  const match = /^\/(\S*)\s*([\s\S]*)$/.exec(line.trim());
  if (match === null) return { kind: 'message' };
  const [, word = '', rest = ''] = match;
  const args = rest.trim();
  const wanted = normalise(word);
  const named = catalogue.find((candidate) => namesOf(candidate).includes(wanted));
  if (named !== undefined) return { kind: 'command', command: named, args, exact: true };
  if (skills.includes(wanted)) return { kind: 'skill', name: wanted, args };
  const isBare = word === '' && args === '';
  if (word.includes('/') || (!isBare && isExistingPath(`/${word}`))) return { kind: 'message' };
  const [meant, ...others] = wanted === '' ? [] : shortestBeginningWith(wanted, poolOf(catalogue, skills));
  if (meant === undefined) return { kind: 'unknown', name: `/${word}` };
  if (others.length > 0) {
    return { kind: 'ambiguous', name: `/${word}`, meant: [meant, ...others].map((entry) => `/${callName(entry)}`) };
  }
  const { command, name } = meant;
  return command === undefined ? { kind: 'skill', name, args } : { kind: 'command', command, args, exact: false };
}

/** True for the whole name or an alias of a command, with `-` in the place of `_`. */
export function isBuiltIn(word: string, catalogue: readonly SlashCommand[]): boolean {
  return catalogue.some((command) => namesOf(command).includes(word));
}

/** A name that can be typed, and the command behind it; a skill has none. */
interface Callable {
  readonly name: string;
  readonly command: SlashCommand | undefined;
}

function poolOf(catalogue: readonly SlashCommand[], skills: readonly string[]): Callable[] {
  const commands = catalogue.flatMap((command) => namesOf(command).map((name) => ({ name, command })));
  return [...commands, ...skills.map((name) => ({ name, command: undefined }))];
}

/** Each once. Several only when none of them has a shorter name than the others; then all that begin with the word. */
function shortestBeginningWith(word: string, pool: readonly Callable[]): readonly Callable[] {
  const found = pool.filter(({ name }) => name.startsWith(word));
  const least = Math.min(...found.map(({ name }) => name.length));
  const shortest = onceEach(found.filter(({ name }) => name.length === least));
  return shortest.length === 1 ? shortest : onceEach(found);
}

function onceEach(found: readonly Callable[]): readonly Callable[] {
  return [...new Map(found.map((entry) => [callName(entry), entry])).values()];
}

function callName({ name, command }: Callable): string {
  return command?.name ?? name;
}

function namesOf(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])].map(normalise);
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
