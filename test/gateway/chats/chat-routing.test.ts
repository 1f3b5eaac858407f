/** Which conversation a chat goes on in, however many chats there are and however few of them are in memory. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ChatRouting, type ChatRoutingOptions } from '../../../src/gateway/chats/chat-routing.ts';
import type { SessionSource } from '../../../src/gateway/platform/session-source.ts';
import { allRoutes, origin } from '../../sessions/chat-support.ts';
import { manualClock, temporaryStore } from '../../sessions/support.ts';

const idle = { reason: 'idle', rule: { mode: 'idle', atHour: 4, idleMinutes: 5 } } as const;

test('of many chats only those that were used last are held, and each of the others goes on in its conversation', async (t) => {
  const { routing } = await open(t, { most: 3 });
  const begun = new Map<string, string>();
  for (let chat = 0; chat < 20; chat += 1) {
    const { entry, resume } = await routing.sessionFor(keyOf(chat), sourceOf(chat));
    assert.equal(resume, undefined);
    begun.set(keyOf(chat), entry.session_id);
    assert.ok(routing.held <= 3);
  }
  for (const [key, id] of begun) {
    assert.equal((await routing.get(key))?.session_id, id);
    const { entry } = await routing.sessionFor(key, sourceOf(Number(key.split(':').at(-1))));
    assert.equal(entry.session_id, id);
  }
  assert.equal(routing.held, 3);
  assert.equal((await allRoutes(routing)).size, 20);
  assert.equal(routing.held, 3, 'whoever looks at all of them fills no memory');
});

test('a chat that is in use is not the one that is dropped', async (t) => {
  let reads = 0;
  const { routing } = await open(t, { most: 2 }, (key) => {
    if (key === keyOf(0)) reads += 1;
  });
  for (let chat = 0; chat < 10; chat += 1) {
    await routing.sessionFor(keyOf(chat), sourceOf(chat));
    await routing.get(keyOf(0));
  }
  assert.equal(reads, 1);
});

test('what was chosen for a chat, and what resets it, holds for one that is in memory no longer', async (t) => {
  let over: ReturnType<ChatRoutingOptions['expired']>;
  const { routing, store, clock } = await open(t, { most: 1, expired: () => over });
  await routing.sessionFor(keyOf(1), sourceOf(1));
  await routing.change(keyOf(1), { model_override: { model: 'chosen' } });
  await routing.sessionFor(keyOf(2), sourceOf(2));
  assert.deepEqual((await routing.get(keyOf(1)))?.model_override, { model: 'chosen' });
  const before = (await routing.sessionFor(keyOf(1), sourceOf(1))).entry;
  await store.sessions.create({ id: before.session_id, source: 'telegram' });
  await routing.sessionFor(keyOf(2), sourceOf(2));
  over = idle;
  clock.advance(600);
  const after = await routing.sessionFor(keyOf(1), sourceOf(1));
  assert.equal(after.reset?.reason, 'idle');
  assert.notEqual(after.entry.session_id, before.session_id);
  assert.equal((await store.sessions.get(before.session_id))?.end_reason, 'idle');
  over = undefined;
  await routing.sessionFor(keyOf(2), sourceOf(2));
  const fresh = await routing.reset(keyOf(1), sourceOf(1));
  await routing.sessionFor(keyOf(2), sourceOf(2));
  const { entry } = await routing.sessionFor(keyOf(1), sourceOf(1));
  assert.equal(entry.session_id, fresh.session_id);
  assert.equal(entry.is_fresh_reset, true);
});

test('of two changes at the same moment neither takes back the other', async (t) => {
  const { routing } = await open(t, { most: 1 });
  await routing.sessionFor(keyOf(1), sourceOf(1));
  await routing.sessionFor(keyOf(2), sourceOf(2));
  await Promise.all([
    routing.change(keyOf(1), { last_prompt_tokens: 7 }),
    routing.change(keyOf(1), { model_override: { model: 'chosen' } }),
    routing.markCutOff([keyOf(1)], 'restart_timeout'),
  ]);
  await routing.sessionFor(keyOf(2), sourceOf(2));
  const { last_prompt_tokens, model_override, resume_reason } = (await routing.get(keyOf(1))) ?? {};
  assert.deepEqual(
    { last_prompt_tokens, model_override, resume_reason },
    { last_prompt_tokens: 7, model_override: { model: 'chosen' }, resume_reason: 'restart_timeout' },
  );
});

function keyOf(chat: number): string {
  return `agent:main:telegram:dm:${chat}`;
}

function sourceOf(chat: number): SessionSource {
  return { ...origin, chat_type: 'dm', chat_id: String(chat) };
}

async function open(t: TestContext, options: Partial<ChatRoutingOptions>, read: (key: string) => void = () => {}) {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { chatRoutes } = store;
  const routes: ChatRoutingOptions['routes'] = {
    putRight: () => chatRoutes.putRight(),
    get: (key) => {
      read(key);
      return chatRoutes.get(key);
    },
    each: () => chatRoutes.each(),
    save: (entries) => chatRoutes.save(entries),
    move: (move) => chatRoutes.move(move),
    remove: (keys) => chatRoutes.remove(keys),
  };
  const routing = new ChatRouting({ routes, sessions: store.sessions, clock, expired: () => undefined, ...options });
  await routing.open();
  return { routing, store, clock };
}
