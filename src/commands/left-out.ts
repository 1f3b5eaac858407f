/** What of a plug-in is not there, as its names are taken: for `/plugins` and `hermes plugins`. */
import type { Registered } from '../plugins/packages/loaded.ts';
import type { ListedCommand } from './command.ts';

interface Brought {
  /** Key of the plug-in. */
  readonly plugin: string;
  readonly registered: Pick<Registered, 'leftOut' | 'commandNames'>;
}

/**
 * One line each. `commands` are those that can be called, with those of plug-ins; `own` are names that the person gave to
 * commands of their own.
 */
export function leftOut(
  { plugin, registered }: Brought,
  commands: readonly ListedCommand[],
  own: readonly string[] = [],
): readonly string[] {
  const taken = registered.commandNames.flatMap((name) => {
    const says = (owner: string) => [`its command /${name} is left out: ${owner} has one of that name`];
    if (own.includes(name)) return says('quick_commands');
    const there = commands.find((command) => command.name === name || command.aliases?.includes(name) === true);
    if (there === undefined || there.plugin === plugin) return [];
    return says(there.plugin === undefined ? 'the program' : `the plug-in ${there.plugin}`);
  });
  return [...new Set([...registered.leftOut, ...taken])];
}
