/** `/toolsets`: the sets of tools there are, how much is in each, and which of them this conversation has. */
import { toolCatalogue } from '../../tools/catalogue.ts';
import type { TerminalCommand } from '../command.ts';
import { counted } from '../../lib/counted.ts';

export const toolsets: TerminalCommand = {
  name: 'toolsets',
  category: 'Tools & Skills',
  description: 'list the sets of tools, and which of them this conversation has',
  surface: 'cli',
  whileBusy: true,
  run({ session, ui }) {
    const here = Map.groupBy(session.tools, ({ toolset }) => toolset);
    const all = Map.groupBy([...toolCatalogue, ...session.tools], ({ toolset }) => toolset);
    const lines = [...all].map(([toolset, members]) => {
      const names = [...new Set(members.map(({ name }) => name))];
      const has = here.get(toolset)?.length ?? 0;
      const count = counted(names.length, 'tool');
      const part = has > 0 && has < names.length ? `, ${has} of them here` : '';
      return `${has > 0 ? '●' : ' '} ${toolset.padEnd(16)} ${count}${part}: ${names.join(', ')}`;
    });
    ui.print(
      [...lines.sort(byName), 'Marked: in this conversation. Change them with /tools enable or disable.'].join('\n'),
    );
  },
};

const byName = (one: string, other: string): number => (one.slice(2) < other.slice(2) ? -1 : 1);
