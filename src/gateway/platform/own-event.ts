/** A place as a message that names it: for what the gateway itself says there. */
import type { MessageEvent } from './message-event.ts';

/** A chat as a message of the gateway's own names it. */
export function eventAt(platform: string, chatId: string, threadId: string | null): MessageEvent {
  return {
    event_id: `own.${chatId}`,
    source: {
      platform,
      chat_id: chatId,
      chat_name: null,
      chat_type: 'dm',
      user_id: null,
      user_name: null,
      thread_id: threadId,
      chat_topic: null,
    },
    text: '',
    message_type: 'text',
    message_id: null,
    timestamp: 0,
    attachments: [],
    internal: true,
  };
}
