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
  | { readonly kind: 'unknown'; readonly name: string };

/**
 * Exact name or alias first, then the first command in registry order that begins with the word. Case does not
 * matter, `-` and `_` are the same. A line whose first word is an existing path is a message.
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
  const command =
    named ?? (wanted === '' ? undefined : catalogue.find(({ name }) => normalise(name).startsWith(wanted)));
  if (command !== undefined) return { kind: 'command', command, args: args.trim(), exact: named !== undefined };
  return isExistingPath(`/${word}`) ? { kind: 'message' } : { kind: 'unknown', name: `/${word}` };
}

function namesOf(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])].map(normalise);
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
