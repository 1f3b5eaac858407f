/** `/history`: the conversation so far. */
import { visibleText } from '../../agent/visible-text.ts';
import { counted } from '../../lib/counted.ts';
import { formatTime } from '../../lib/format-time.ts';
import { type HistoryMessage, kindOf, textOf } from '../../llm/message.ts';
import type { TerminalCommand, TerminalContext } from '../command.ts';

const maxChars = 2000;

export const history: TerminalCommand = {
  name: 'history',
  category: 'Session',
  description: 'show the conversation so far',
  surface: 'cli',
  whileBusy: true,
  async run(context) {
    const times = await timesOf(context);
    const lines: string[] = [];
    let results = 0;
    const flush = (): void => {
      if (results > 0) lines.push(`  (${counted(results, 'tool result')})`);
      results = 0;
    };
    for (const [index, message] of context.session.agent.history.entries()) {
      if (message.role === 'tool') {
        results += 1;
        continue;
      }
      flush();
      const text = shownText(message);
      const shown = `${text.slice(0, maxChars)}${text.length > maxChars ? '…' : ''}`;
      if (text !== '') lines.push(`${times[index] ?? ''}${speaker(message)}${shown}`);
    }
    flush();
    context.ui.print(lines.length === 0 ? 'Nothing has been said yet.' : lines.join('\n'));
  },
};

/** Known when every message is stored; after a compaction what stands for others has none of its own. */
async function timesOf({ session, settings, store }: TerminalContext): Promise<readonly string[]> {
  const { timestamps, timestampFormat } = settings.display;
  const stored = timestamps ? ((await store?.messages.list(session.id)) ?? []) : [];
  if (stored.length !== session.agent.history.length) return [];
  return stored.map(({ timestamp }) => `${formatTime(timestampFormat, new Date(timestamp * 1000))} `);
}

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
