/** `/tools`: what the model can call. */
import type { SlashCommand } from '../command.ts';

export const tools: SlashCommand = {
  name: 'tools',
  aliases: ['toolsets'],
  category: 'Tools & Skills',
  description: 'list the tools of this session',
  surface: 'cli',
  whileBusy: true,
  run({ session, print }) {
    const bySet = Map.groupBy(session.tools, (tool) => tool.toolset);
    const lines = [...bySet].map(([toolset, members]) => `${toolset}: ${members.map((tool) => tool.name).join(', ')}`);
    print(lines.length === 0 ? 'No tools in this session.' : lines.sort().join('\n'));
  },
};
