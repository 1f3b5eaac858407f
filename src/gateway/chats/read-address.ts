/** Where a message came from that another version wrote down, when the rest of it cannot be read. */
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { eventAt } from '../platform/own-event.ts';
import { sessionSource } from '../platform/session-source.ts';

const addressed = z.looseObject({ source: sessionSource, message_id: z.string().max(4096).nullable().default(null) });

/** Of a message that cannot be read as a whole, where it came from. */
export function readAddress(row: ChatMessage): MessageEvent | undefined {
  const { data } = addressed.safeParse(parseJson(row.event));
  if (data === undefined) return undefined;
  const { source, message_id: messageId } = data;
  return { ...eventAt(source.platform, source.chat_id, source.thread_id), source, message_id: messageId };
}
