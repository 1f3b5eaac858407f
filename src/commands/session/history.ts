/** `/history`: the conversation so far. */
import { textOf } from '../../llm/message.ts';
import type { SlashCommand } from '../command.ts';

const maxChars = 2000;

export const history: SlashCommand = {
  name: 'history',
  category: 'Session',
  description: 'show the conversation so far',
  surface: 'cli',
  whileBusy: true,
  run(context) {
    const lines: string[] = [];
    let results = 0;
    const flush = (): void => {
      if (results > 0) lines.push(`  (${results} tool result${results === 1 ? '' : 's'})`);
      results = 0;
    };
    for (const message of context.session.agent.history) {
      if (message.role === 'tool') {
        results += 1;
        continue;
      }
      flush();
      const text = textOf(message.content).trim();
      if (text !== '') lines.push(`${message.role === 'user' ? 'You' : 'Hermes'}: ${text.slice(0, maxChars)}`);
    }
    flush();
    context.print(lines.length === 0 ? 'Nothing has been said yet.' : lines.join('\n'));
  },
};
