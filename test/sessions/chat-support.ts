/** Messages and replies of chats for tests. */
import type { NewChatMessage, NewReply } from '../../src/sessions/chat-inbox.ts';

export function chatMessage(eventId: string, changes: Partial<NewChatMessage> = {}): NewChatMessage {
  const sessionKey = 'agent:main:telegram:dm:1';
  return { platform: 'telegram', eventId, sessionKey, event: `{"text":"${eventId}"}`, receivedAt: 1, ...changes };
}

export function reply(id: string, changes: Partial<NewReply> = {}): NewReply {
  return {
    id,
    sessionKey: 'agent:main:telegram:dm:1',
    platform: 'telegram',
    chatId: '1',
    threadId: null,
    content: `answer ${id}`,
    details: `{"to":"${id}"}`,
    ...changes,
  };
}
