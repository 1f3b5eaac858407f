/** What is said at the end of a conversation: how to come back to it. */
import { counted } from '../../lib/counted.ts';
import { type HistoryMessage, isSaid } from '../../llm/message.ts';

/** What the summary needs to know of a session. */
interface EndedSession {
  readonly id: string;
  readonly agent: { readonly history: readonly HistoryMessage[] };
}

/** Lines to print; none when nothing was said. */
export function exitSummary(session: EndedSession, title: string | undefined, durationMs: number): string[] {
  const { history } = session.agent;
  if (history.length === 0) return [];
  const users = history.filter(isSaid).length;
  const calls = history.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? (message.tool_calls?.length ?? 0) : 0),
    0,
  );
  return [
    'Resume this session with:',
    `  hermes --resume ${session.id}`,
    ...(title === undefined ? [] : [`  hermes -c ${JSON.stringify(title)}`]),
    '',
    `Session:  ${session.id}`,
    ...(title === undefined ? [] : [`Title:    ${title}`]),
    `Duration: ${formatDuration(durationMs)}`,
    `Messages: ${history.length} (${users} user, ${counted(calls, 'tool call')})`,
  ];
}

/** `8s`, `12m 34s`, `2h 5m` */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
