/** Slash commands of plug-ins, beside those of the program. */
import type { PluginCommand } from '../plugins/packages/plugin-command.ts';
import type { Program } from '../runtime/program.ts';
import { slashCommands } from './catalogue.ts';
import type { SharedCommand, SlashCommand } from './command.ts';
import { isBuiltIn } from './resolve.ts';

/** Those of the program first. `isTaken`: true for names of commands that only this surface has. */
export function commandsWith(
  { plugins }: Pick<Program, 'plugins'>,
  isTaken: (name: string) => boolean = () => false,
): readonly SlashCommand[] {
  return [...slashCommands, ...pluginCommands({ plugins }, isTaken)];
}

export function pluginCommands(
  { plugins }: Pick<Program, 'plugins'>,
  isTaken: (name: string) => boolean = () => false,
): readonly SharedCommand[] {
  return plugins.commands.offered((name) => isBuiltIn(name, slashCommands) || isTaken(name)).map(asCommand);
}

function asCommand(command: PluginCommand): SharedCommand {
  const { name, description, argumentHint, plugin } = command;
  return {
    name,
    plugin,
    category: 'Tools & Skills',
    description,
    ...(argumentHint === '' ? {} : { argumentHint }),
    surface: 'both',
    // It may be there to say something to the turn that runs.
    whileBusy: true,
    async run({ session, ui }, args) {
      const said = await command.run(args, { id: session.id, door: session.knowledge.door });
      if (said !== undefined && said !== '') ui.print(said);
    },
  };
}
