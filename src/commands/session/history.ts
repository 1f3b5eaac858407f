/** `/history`: the conversation so far. */
import { visibleText } from '../../agent/visible-text.ts';
import { type HistoryMessage, kindOf, textOf } from '../../llm/message.ts';
import type { TerminalCommand } from '../command.ts';

const maxChars = 2000;

export const history: TerminalCommand = {
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
      const text = shownText(message);
      if (text !== '') lines.push(`${speaker(message)}${text.slice(0, maxChars)}${text.length > maxChars ? '…' : ''}`);
    }
    flush();
    context.ui.print(lines.length === 0 ? 'Nothing has been said yet.' : lines.join('\n'));
  },
};

function shownText(message: HistoryMessage): string {
  return (message.role === 'assistant' ? visibleText(message.content) : textOf(message.content)).trim();
}

function speaker(message: HistoryMessage): string {
  switch (kindOf(message)) {
    case 'answer':
      return 'Hermes: ';
    case 'interrupted':
      return 'Hermes (interrupted): ';
    case 'said':
    case 'steer':
      return message.role === 'user' && message.setAside === true ? 'You (not sent any more): ' : 'You: ';
    default:
      return '  ';
  }
}
