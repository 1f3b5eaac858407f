/** Conversations of chats, as somebody reads them who only looks on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { origin, route } from './chat-support.ts';
import { manualClock, temporaryStore } from './support.ts';

async function chat(store: SessionStore, id: string, sessionKey: string, more: Record<string, unknown> = {}) {
  await store.sessions.create({
    id,
    source: 'telegram',
    ...more,
    chat: {
      sessionKey,
      chatId: '1',
      chatType: 'dm',
      threadId: null,
      displayName: 'Ann',
      origin: JSON.stringify(origin),
    },
  });
}

const texts = async ({ chatReading }: SessionStore, after: number): Promise<unknown[]> =>
  (await chatReading.saidAfter(after, 100)).messages.map(({ message }) => message.content);

test('a chat is listed once, by the session it goes on in, and what was said last comes first', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await chat(store, 'old', 'key-a');
  await store.sessions.end('old', 'session_reset');
  clock.advance(1000);
  await chat(store, 'new', 'key-a');
  await chat(store, 'b', 'key-b');
  await chat(store, 'over', 'key-c');
  await store.sessions.end('over', 'session_reset');
  await store.sessions.create({ id: 'terminal', source: 'cli' });
  clock.advance(1000);
  await store.messages.append('b', { role: 'user', content: 'hi' });
  const found = await store.chatReading.conversations();
  assert.deepEqual(
    found.map(({ sessionId, lastActive }) => [sessionId, lastActive - Date.UTC(2026, 0, 1) / 1000]),
    [
      ['b', 2],
      ['new', 1],
    ],
  );
  const { chatId, chatType, displayName, origin: source } = found[0] ?? {};
  assert.deepEqual([chatId, chatType, displayName, source], ['1', 'dm', 'Ann', origin]);
  assert.equal((await store.chatReading.conversation('key-a'))?.sessionId, 'new');
  assert.equal(await store.chatReading.conversation('key-c'), undefined);
});

test('what was said in chats comes in order and page by page, without the notes of this program', async (t) => {
  const store = await temporaryStore(t);
  await chat(store, 'a', 'key-a');
  await store.sessions.create({ id: 'terminal', source: 'cli' });
  await store.messages.append('a', { role: 'user', content: 'before' });
  const seen = await store.chatReading.newest();
  await store.messages.append('a', { role: 'user', content: 'one' });
  await store.messages.append('terminal', { role: 'user', content: 'elsewhere' });
  await store.messages.append('a', { role: 'user', content: 'a note', kind: 'note' });
  await store.messages.append('a', { role: 'assistant', content: 'two' });
  assert.deepEqual(await texts(store, seen), ['one', 'two']);
  const first = await store.chatReading.saidAfter(seen, 1);
  assert.deepEqual(
    first.messages.map(({ message }) => message.content),
    ['one'],
  );
  assert.deepEqual(await texts(store, first.upTo ?? 0), ['two']);
  assert.deepEqual(await store.chatReading.saidAfter(await store.chatReading.newest(), 10), {
    messages: [],
    upTo: undefined,
  });
});

test('a compaction and a branch say nothing new, and what follows them does', async (t) => {
  const store = await temporaryStore(t);
  await chat(store, 'a', 'key-a');
  for (const content of ['one', 'yes']) await store.messages.append('a', { role: 'user', content });
  let seen = await store.chatReading.newest();
  const kept = { role: 'user', content: 'yes' } as const;
  await store.messages.compact('a', {
    messages: [{ role: 'user', content: 'all that was', kind: 'summary' }, kept],
    systemPrompt: '',
  });
  await store.messages.append('a', { role: 'assistant', content: 'three' });
  await store.messages.append('a', { role: 'user', content: 'one' });
  assert.deepEqual(await texts(store, seen), ['three', 'one']);
  seen = await store.chatReading.newest();
  await store.sessions.createChild('a', { id: 'child', parentEndReason: 'branched', messages: [kept] });
  await store.chatRoutes.save([route({ session_key: 'key-a', session_id: 'child' })]);
  await store.messages.append('child', { role: 'user', content: 'four' });
  assert.deepEqual(await texts(store, seen), ['four']);
  assert.equal((await store.chatReading.conversation('key-a'))?.sessionId, 'child');
});
