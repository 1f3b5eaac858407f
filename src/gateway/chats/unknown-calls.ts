/** Calls that were under way when the process died: nobody knows whether they were carried out. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { namesOf } from './gather.ts';
import { noticeReply, nothingShown } from './replies.ts';

const most = 5;

/** Names of the tools whose calls end the history without a result, each once. */
export function unansweredCalls(history: readonly HistoryMessage[]): readonly string[] {
  const at = history.findLastIndex(({ role }) => role === 'assistant');
  const last = history[at];
  if (last?.role !== 'assistant') return [];
  const answered = new Set(history.slice(at).flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : [])));
  const open = (last.tool_calls ?? []).filter(({ id }) => !answered.has(id));
  return [...new Set(open.map(({ function: { name } }) => name))];
}

/**
 * Tells the chat before the turn is gone on with. It is no end: an answer follows. The model is told by its history; tools
 * that only look have changed nothing.
 */
export async function tellUnknown(
  rows: readonly ChatMessage[],
  event: MessageEvent,
  { session }: SessionWorker,
  { sessionKey, delivery }: { readonly sessionKey: string; readonly delivery: Delivery },
): Promise<void> {
  const looking = new Set(session.tools.filter(({ onlyLooks }) => onlyLooks).map(({ name }) => name));
  const tools = unansweredCalls(session.agent.history).filter((name) => !looking.has(name));
  if (tools.length === 0) return;
  const about = rows.map((row) => ({ ...row, preview: nothingShown }));
  await delivery.add(noticeReply(sessionKey, about, event, cutOffText(tools), namesOf(rows)));
}

function cutOffText(tools: readonly string[]): string {
  return `⏳ I was cut off while ${named(tools)} was under way, and whether it was carried out is not known. I go on with your message, and look before anything is done again.`;
}

/** Stands behind what says that the turn is not gone on with. */
export function leftOpenText(tools: readonly string[]): string {
  return ` Whether ${named(tools)} was carried out is not known.`;
}

/** The names come from a model. */
function named(tools: readonly string[]): string {
  const shown = tools.slice(0, most).map((name) => `\`${name.replace(/[^\w.:-]/g, '').slice(0, 64)}\``);
  return `${shown.join(', ')}${tools.length > most ? ', …' : ''}`;
}
