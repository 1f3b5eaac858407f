/** Which of the messages that wait are one: what a person sends in a burst, an album, what interrupted a turn. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import { parseJson } from '../../lib/json.ts';
import { nameOf } from '../text/about-messages.ts';
import { messageEvent, type MessageEvent } from '../platform/message-event.ts';

/** A message that waits, read. */
export interface Waiting {
  readonly row: ChatMessage;
  readonly event: MessageEvent;
}

/** Rows that cannot be read are told apart: they were written by a newer version. */
export function readWaiting(row: ChatMessage): Waiting | undefined {
  const parsed = messageEvent.safeParse(parseJson(row.event));
  return parsed.success ? { row, event: parsed.data } : undefined;
}

export interface Gathered {
  readonly messages: readonly Waiting[];
  /** More may still come: look again after so many milliseconds. */
  readonly waitMs: number;
}

/** A burst that does not end is cut off. */
const longestBurstMs = 10_000;
const maxGathered = 50;

/**
 * The first message, and those behind it that belong to it. Commands stand alone. `joinAll`: everything that the same
 * person said belongs together, for what came while a turn was being interrupted.
 */
export function gather(waiting: readonly Waiting[], now: number, joinAll: boolean): Gathered {
  const [first, ...others] = waiting;
  if (first === undefined) return { messages: [], waitMs: 0 };
  const messages = [first];
  if (isCommand(first.event)) return { messages, waitMs: 0 };
  for (const next of others) {
    const previous = messages.at(-1) ?? first;
    if (messages.length >= maxGathered || isCommand(next.event) || !sameSender(first.event, next.event)) break;
    if (!joinAll && !belongs(previous, next)) break;
    messages.push(next);
  }
  const last = messages.at(-1) ?? first;
  const isLast = messages.length === waiting.length;
  const quiet = isLast ? (last.event.burst?.quiet_ms ?? 0) : 0;
  // A clock that was set back says nothing of how long ago they came.
  if (now < last.row.receivedAt) return { messages, waitMs: 0 };
  const until = Math.min(last.row.receivedAt + quiet, first.row.receivedAt + longestBurstMs);
  return { messages, waitMs: Math.max(0, until - now) };
}

/** What was forwarded is said by somebody else, who commands nothing here. */
export function isCommand({ text, message_type: type, forwarded_from: author }: MessageEvent): boolean {
  if (author !== undefined) return false;
  return type === 'command' || /^\/[a-z][\w-]*(@\S+)?(\s|$)/i.test(text);
}

function sameSender(first: MessageEvent, next: MessageEvent): boolean {
  return first.source.user_id === next.source.user_id && next.observed !== true && first.observed !== true;
}

function belongs(previous: Waiting, next: Waiting): boolean {
  const album = previous.event.burst?.album;
  if (album !== undefined || next.event.burst?.album !== undefined) return album === next.event.burst?.album;
  const quiet = previous.event.burst?.quiet_ms;
  return quiet !== undefined && next.row.receivedAt - previous.row.receivedAt <= quiet;
}

/** Names of those that a person has sent, in the order in which they came. */
export function namesOf(rows: readonly ChatMessage[]): readonly string[] {
  const events = rows.toSorted((one, other) => one.id - other.id).map((row) => readWaiting(row)?.event);
  return events.flatMap((event) => (event === undefined || event.internal === true ? [] : [nameOf(event.text)]));
}

/** One event in the place of several: texts on lines of their own, captions apart, all that was attached. */
export function joined(messages: readonly Waiting[]): MessageEvent | undefined {
  const [first, ...others] = messages.map(({ event }) => event);
  if (first === undefined || others.length === 0) return first;
  const all = [first, ...others];
  const attachments = all.flatMap(({ attachments: files }) => files);
  const texts = all.map(({ text }) => text.trim()).filter((text) => text !== '');
  const last = all.at(-1) ?? first;
  // One word of somebody else makes the whole partly theirs.
  const author = all.find(({ forwarded_from: from }) => from !== undefined)?.forwarded_from;
  const quoted = all.find(({ reply_to: to }) => to !== undefined)?.reply_to;
  return {
    ...first,
    ...(author === undefined ? {} : { forwarded_from: author }),
    ...(quoted === undefined ? {} : { reply_to: quoted }),
    text: texts.join(attachments.length > 0 ? '\n\n' : '\n'),
    attachments,
    message_id: last.message_id,
    timestamp: last.timestamp,
    message_type:
      attachments.length > 0
        ? (all.find(({ attachments: files }) => files.length > 0)?.message_type ?? 'document')
        : first.message_type,
  };
}
