/** What can be typed after what: the commands of the catalogue, their sub-commands and flags, as words by path. */
import type { Command } from 'commander';
import type { CliContext } from '../command.ts';

/** By path (`''`, `config`, `config set`): sub-commands and flags. */
export type Words = ReadonlyMap<string, readonly string[]>;

/** Loads every command. */
export async function completionWords(context: CliContext, program: readonly string[]): Promise<Words> {
  const words = new Map<string, readonly string[]>();
  const add = (path: string, command: Command): void => {
    const children = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
    const flags = command.options
      .filter(({ hidden }) => !hidden)
      .flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
    const values = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
    words.set(path, [...children, ...values, ...flags, '--help']);
    for (const child of command.commands) {
      for (const name of [child.name(), ...child.aliases()]) add(`${path} ${name}`, child);
    }
  };
  words.set('', [...context.commands.map(({ name }) => name), ...program, '-p', '--profile', '--help', '--version']);
  for (const entry of context.commands) add(entry.name, (await entry.load()).build(context));
  return words;
}
