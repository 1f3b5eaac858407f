/** What was said before, shown when a session is resumed. */
import { isSaid } from '../../commands/session/last-exchange.ts';
import { type HistoryMessage, textOf } from '../../llm/message.ts';
import { splitThinking } from '../../llm/thinking.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';

const maxExchanges = 10;

/** The last exchanges as plain lines: `●` the user, `◆` the answer. */
export function recapLines(history: readonly HistoryMessage[]): string[] {
  const starts = history.flatMap((message, index) => (isSaid(message) ? [index] : []));
  const from = starts.at(-maxExchanges) ?? 0;
  const lines = from > 0 ? [`... ${from} earlier messages ...`] : [];
  for (const message of history.slice(from)) lines.push(...messageLines(message));
  return lines;
}

function messageLines(message: HistoryMessage): string[] {
  if (isSaid(message)) return [`● ${oneLine(textOf(message.content), 300)}`];
  if (message.role !== 'assistant') return [];
  const text = terminalText(splitThinking(message.content ?? '').text.trim());
  const calls = message.tool_calls ?? [];
  const names = [...new Set(calls.map((call) => call.function.name))].join(', ');
  return [
    ...(text === '' ? [] : [`◆ ${firstLines(text)}`]),
    ...(calls.length === 0 ? [] : [`  [${calls.length} tool call${calls.length === 1 ? '' : 's'}: ${names}]`]),
  ];
}

/** 200 characters and three lines at most. */
function firstLines(text: string): string {
  const cut = text.split('\n').slice(0, 3).join('\n').slice(0, 200);
  return cut.length < text.length ? `${cut.trimEnd()}...` : cut;
}
