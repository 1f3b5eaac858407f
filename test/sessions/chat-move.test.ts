/** A chat that gets another id: all that stands under the old one stands under the new one, in one step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMove } from '../../src/sessions/chat-move.ts';
import { chatMessage, loadRoutes, origin, reply, route } from './chat-support.ts';
import { query, temporaryStore } from './support.ts';

const old = 'agent:main:telegram:group:1';
const now = 'agent:main:telegram:group:2';
const other = 'agent:main:telegram:group:11';

const move: ChatMove = {
  platform: 'telegram',
  from: '1',
  to: '2',
  rekey: (key) => (key === old ? now : undefined),
  event: (stored) => `moved ${stored}`,
  details: (stored) => `moved ${stored}`,
};

test('messages, replies, questions, stored sessions and the route go along, and those of other chats stay', async (t) => {
  const store = await temporaryStore(t);
  const ofChat = { ...origin, chat_id: '1' };
  await store.chatRoutes.save([route({ session_key: old, origin: ofChat }), route({ session_key: other })]);
  await store.chatInbox.accept(chatMessage('e1', { sessionKey: old }));
  await store.chatInbox.accept(chatMessage('e2', { sessionKey: other }));
  await store.outbox.add(reply('r1', { sessionKey: old }));
  await store.outbox.add(reply('r2', { sessionKey: other, chatId: '11' }));
  await store.outbox.add(reply('sent', { sessionKey: old }));
  await store.outbox.delivered('sent');
  const chat = { chatType: 'group', threadId: null, displayName: null, origin: JSON.stringify(ofChat) };
  await store.sessions.create({ id: 's1', source: 'telegram', chat: { ...chat, sessionKey: old, chatId: '1' } });
  const question = { id: 'q1', sessionKey: old, platform: 'telegram', chatId: '1', threadId: null, person: null };
  await store.approvals.inChats.add({ ...question, kind: 'approval', text: 'may I?', digest: '00' });
  await store.approvals.inChats.shown('q1', '77');

  assert.deepEqual(await store.chatRoutes.move(move), [now]);
  const routes = await loadRoutes(store.chatRoutes);
  assert.deepEqual([...routes.keys()].sort(), [other, now].sort());
  assert.equal(routes.get(now)?.origin?.['chat_id'], '2');
  assert.deepEqual(
    (await store.chatInbox.open()).map(({ sessionKey, event }) => [sessionKey, event]),
    [
      [now, 'moved {"text":"e1"}'],
      [other, '{"text":"e2"}'],
    ],
  );
  const waiting = await store.outbox.claimOpen(['telegram']);
  assert.deepEqual(
    waiting.map(({ id, chatId, sessionKey, details }) => [id, chatId, sessionKey, details]),
    [
      ['r1', '2', now, 'moved {"to":"r1"}'],
      ['r2', '11', other, '{"to":"r2"}'],
    ],
  );
  assert.deepEqual(
    (await store.approvals.inChats.kept()).map(({ chatId, sessionKey, messageId }) => [chatId, sessionKey, messageId]),
    [['2', now, null]],
  );
  const [row] = query(store.path, "SELECT chat_id, session_key, origin_json FROM sessions WHERE id = 's1'");
  assert.deepEqual({ ...row, origin_json: undefined }, { chat_id: '2', session_key: now, origin_json: undefined });
  assert.match(String(row?.['origin_json']), /"chat_id":"2"/);
  assert.deepEqual(await store.chatRoutes.move(move), [], 'a second time there is nothing to do');
});

test('a conversation that has begun under the new id goes on there', async (t) => {
  const { chatRoutes } = await temporaryStore(t);
  const begun = route({ session_key: now, session_id: 'new' });
  await chatRoutes.save([route({ session_key: old, session_id: 'old' }), begun]);
  await chatRoutes.move(move);
  assert.deepEqual(await loadRoutes(chatRoutes), new Map([[now, begun]]));
});
