/**
 * What an earlier gateway may have left in a home, from a process that ends, so that it is nobody's any more:
 * `node fill-gateway.ts <home> <messages> <waiting> <unsent>`
 *
 * - `messages`: of conversations that are over
 * - `waiting`: messages of chats that were accepted and not begun with, 10 of each chat
 * - `unsent`: answers that were written down and not sent
 */
import { DatabaseSync } from 'node:sqlite';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { shortMessages } from './prose.ts';

const messagesEach = 500;
const ofEachChat = 10;
const firstChat = 500_000;

const [home = '', messages = '0', waiting = '0', unsent = '0'] = process.argv.slice(2);
const path = `${home}/state.db`;
const store = await openSessionStore({ kind: 'sqlite', path });
await Promise.all(
  Array.from({ length: Number(waiting) }, (_, index) => {
    const event = eventOf(index);
    return store.chatInbox.accept({
      platform: 'telegram',
      eventId: event.event_id,
      sessionKey: `agent:main:telegram:dm:${event.source.chat_id}`,
      event: JSON.stringify(event),
      receivedAt: Date.now(),
    });
  }),
);
await Promise.all(
  Array.from({ length: Number(unsent) }, (_, index) => {
    const chatId = `${firstChat + Math.floor(index / ofEachChat)}`;
    return store.outbox.add({
      id: `unsent-${index}`,
      sessionKey: `agent:main:telegram:dm:${chatId}`,
      platform: 'telegram',
      chatId,
      threadId: null,
      content: `Answer ${index}`,
      details: '{}',
    });
  }),
);
await store.close();
addConversations(Number(messages));

function eventOf(index: number): MessageEvent {
  const chat = String(firstChat + Math.floor(index / ofEachChat));
  return {
    event_id: `waiting-${index}`,
    source: {
      platform: 'telegram',
      chat_id: chat,
      chat_name: null,
      chat_type: 'dm',
      user_id: chat,
      user_name: `Person ${chat}`,
      thread_id: null,
      chat_topic: null,
    },
    text: `Question ${index}`,
    message_type: 'text',
    message_id: String(index + 1),
    timestamp: Date.now(),
    attachments: [],
  };
}

/** Through the store's own tables and triggers, in few transactions. */
function addConversations(count: number): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const addSession = db.prepare('INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, ?, ?, ?)');
  const addMessage = db.prepare('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)');
  db.exec('BEGIN');
  for (let session = 0; session * messagesEach < count; session += 1) {
    const id = `20260101_000000_${session.toString(16).padStart(6, '0')}`;
    const startedAt = 1_767_225_600 + session * 3600;
    addSession.run(id, 'telegram', startedAt, messagesEach);
    for (const [index, { role, content }] of shortMessages(session, messagesEach).entries()) {
      addMessage.run(id, role, content, startedAt + index);
    }
  }
  db.exec('COMMIT');
  db.close();
}
