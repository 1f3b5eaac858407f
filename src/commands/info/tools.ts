/** `/tools`: what the model can call. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

export const tools: TerminalCommand = {
  name: 'tools',
  aliases: ['toolsets'],
  category: 'Tools & Skills',
  description: 'list the tools of this session',
  values: ['list'],
  surface: 'cli',
  whileBusy: true,
  run({ session, ui }, args) {
    if (args !== '' && args !== 'list') {
      throw new UserError('/tools only lists; the tools of a conversation are chosen when it begins.', {
        hint: 'Start one with: hermes --toolsets terminal,file',
      });
    }
    const bySet = Map.groupBy(session.tools, (tool) => tool.toolset);
    const lines = [...bySet].map(([toolset, members]) => `${toolset}: ${members.map((tool) => tool.name).join(', ')}`);
    ui.print(lines.length === 0 ? 'No tools in this session.' : lines.sort().join('\n'));
  },
};
