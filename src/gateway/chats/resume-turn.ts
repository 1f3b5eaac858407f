/** Goes on with a turn in which the process died: what is left to do is read from the store. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import { textOf } from '../../llm/message.ts';
import { leftTurn } from '../../worker/left-turn.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';
import { type CarriedMessages, parkedText } from './carried-messages.ts';
import { type ChatRows, idsOf } from './chat-rows.ts';
import type { Waiting } from './gather.ts';
import { unknownHosts } from './replies.ts';
import { leftOpenText, unansweredCalls } from './unknown-calls.ts';

/** How often a turn is begun again; then its sender is told. */
const maxAttempts = 3;

const resumeNote =
  'The program was restarted while you worked on the last message. Go on where you stopped: calls whose result is unknown may or may not have happened, so look before you repeat them.';

/**
 * An answer that is stored is sent; a message that the conversation does not have waits again; a turn that was begun too
 * often or too long ago is given up with a notice. True when there is a turn to go on with. What was carried along ends
 * with `rows`.
 */
export async function settleInterrupted(
  rows: readonly ChatMessage[],
  event: MessageEvent,
  { program, inbox, settings, clock, desk }: ChatDeps,
  { rows: ends, carried }: { readonly rows: ChatRows; readonly carried: CarriedMessages },
): Promise<boolean> {
  const [first] = rows;
  if (first === undefined) return false;
  const { store } = program;
  if (store === undefined) return false;
  const left = await leftTurn(store, first.sessionId, first.turnAfter);
  if (left.as === 'answered') {
    const all = [...rows, ...carried.take()];
    // The conversation is not open: whose words the answer is made of is not known, so its addresses are not asked.
    const replies = await ends.answer(all, event, left.text, { preview: first.preview, hosts: unknownHosts });
    await ends.end(all, 'done', replies);
    return false;
  }
  const tooOld = left.as === 'begun' && clock.now() - first.receivedAt > settings.resumeSeconds * 1000;
  if (first.attempts >= maxAttempts || tooOld) {
    const all = [...rows, ...carried.take()];
    // A call that waited for an answer is told to have lapsed, and was not run.
    const open = left.as === 'begun' && !desk.hasLapsed(ends.sessionKey) ? unansweredCalls(left.messages) : [];
    await ends.endWithNotice(all, 'expired', event, parkedText + (open.length === 0 ? '' : leftOpenText(open)));
    return false;
  }
  if (left.as === 'begun') return true;
  await inbox.putBack(idsOf(rows));
  return false;
}

/** Of the messages that came while a turn ran, those that it has read: they belong to it. The others wait again. */
export async function steeredInto(
  messages: readonly Waiting[],
  { program, inbox }: ChatDeps,
): Promise<readonly ChatMessage[]> {
  const steered = messages.filter(({ row }) => row.part === 'steered');
  const { sessionId, turnAfter } = messages.find(({ row }) => row.part === 'own')?.row ?? {};
  if (steered.length === 0) return [];
  const stored = typeof sessionId === 'string' ? ((await program.store?.messages.list(sessionId)) ?? []) : [];
  const guidance = stored
    .filter(({ id, message }) => id > (turnAfter ?? 0) && message.role === 'user' && message.kind === 'steer')
    .map(({ message }) => textOf(message.content ?? ''));
  const isRead = ({ event }: Waiting): boolean => guidance.some((text) => text.includes(event.text));
  const late = steered.filter((message) => !isRead(message)).map(({ row }) => row);
  if (late.length > 0) await inbox.putBack(idsOf(late));
  return steered.filter(isRead).map(({ row }) => row);
}

/** Has the conversation gone on with: its last message answered, or told that it was cut off. */
export async function goOn(worker: SessionWorker): Promise<void> {
  const { history } = worker.session.agent;
  if (history.at(-1)?.role === 'user') await worker.replaceHistory(history, { answer: true });
  else await worker.submit({ content: resumeNote, kind: 'note', sources: [{ from: 'agent' }] });
}
