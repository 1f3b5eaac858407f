/** `/tools`: what the model can call. */
import type { TerminalCommand } from '../command.ts';

export const tools: TerminalCommand = {
  name: 'tools',
  aliases: ['toolsets'],
  category: 'Tools & Skills',
  description: 'list the tools of this session',
  surface: 'cli',
  whileBusy: true,
  run({ session, ui }) {
    const bySet = Map.groupBy(session.tools, (tool) => tool.toolset);
    const lines = [...bySet].map(([toolset, members]) => `${toolset}: ${members.map((tool) => tool.name).join(', ')}`);
    ui.print(lines.length === 0 ? 'No tools in this session.' : lines.sort().join('\n'));
  },
};
