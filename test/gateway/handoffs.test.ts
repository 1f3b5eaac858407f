/** Conversations of a terminal that go on in a chat. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { readPlatform } from '../../src/gateway/process/configured-platforms.ts';
import { platform as telegram } from '../../src/gateway/platforms/telegram/telegram.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { ChatService } from './chat-service.ts';
import { until } from './fake-host.ts';
import { openGateway, type OpenOptions } from './support.ts';

const config = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';

async function opened(t: TestContext, options: OpenOptions = {}) {
  const server = await startModelServer({ strict: true, respond: () => ({ text: 'Here I am.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const gateway = await openGateway(t, server, { config, handoffLookMs: 10, ...options });
  const { store } = gateway.gateway.program;
  assert.ok(store);
  return { server, ...gateway, store };
}

/** As a terminal leaves it behind. */
async function conversation(store: SessionStore, id = 'cli_session'): Promise<string> {
  await store.sessions.create({ id, source: 'cli', model: 'm' });
  await store.sessions.setTitle(id, `The ${id}`);
  await store.messages.append(id, { role: 'user', content: 'the wall is to be blue', sources: [{ from: 'user' }] });
  await store.messages.append(id, { role: 'assistant', content: 'Blue it is.' });
  return id;
}

async function ended(store: SessionStore, id: string) {
  await until(async () => ['completed', 'failed'].includes((await store.handoffs.get(id))?.state ?? ''));
  return await store.handoffs.get(id);
}

test('it goes on in the home chat: the agent says so there, and the next message follows what was said before', async (t) => {
  const { server, fake, store } = await opened(t);
  const id = await conversation(store);
  assert.equal(await store.handoffs.request(id, 'fake'), true);
  assert.deepEqual(await ended(store, id), { sessionId: id, platform: 'fake', state: 'completed', error: undefined });
  await fake.until(() => fake.texts('home').includes('Here I am.'));
  await fake.say('and the door?', { chat: 'home' });
  await fake.until(() => fake.texts('home').length === 2);
  const sent = JSON.stringify(server.lastRequest.body.messages);
  assert.match(
    sent,
    /the wall is to be blue[^]*Blue it is\.[^]*moved this conversation[^]*Here I am\.[^]*and the door\?/,
  );
  assert.equal((await store.sessions.get(id))?.ended_at, null);
  assert.deepEqual(server.violations, []);
});

test('what was said in the home chat until then is a conversation that has ended, and /resume finds it', async (t) => {
  const { fake, store, gateway } = await opened(t);
  await fake.say('hello', { chat: 'home' });
  await fake.until(() => fake.texts('home').length === 1);
  const [before] = await store.sessions.list();
  const id = await conversation(store);
  await store.handoffs.request(id, 'fake');
  await fake.until(() => fake.texts('home').length === 2);
  assert.equal((await store.sessions.get(before?.id ?? ''))?.end_reason, 'session_switch');
  const routes = [];
  for await (const { session_id: session } of gateway.routing.each()) routes.push(session);
  assert.deepEqual(routes, [id]);
});

test('while the terminal still has it open the turn waits, and nobody is told that it is open elsewhere', async (t) => {
  const { server, fake, store } = await opened(t);
  const id = await conversation(store);
  const lease = await store.leases.take(id, 'cli', { ttlMs: 60_000 });
  assert.ok(lease.granted);
  await store.handoffs.request(id, 'fake');
  assert.equal((await ended(store, id))?.state, 'completed');
  assert.deepEqual(server.requests, []);
  await store.leases.release(id, lease.fence);
  await fake.until(() => fake.texts('home').length > 0);
  assert.deepEqual(fake.texts('home'), ['Here I am.']);
});

test('a platform that is not there, and one without a home chat, are told, and nothing has changed', async (t) => {
  const fake = new ChatService();
  const { store, gateway } = await opened(t, {
    fake,
    platforms: [{ platform: fake.platform, config: { ...fake.config, homeChannel: undefined } }],
  });
  const id = await conversation(store);
  await store.handoffs.request(id, 'nowhere');
  assert.match((await ended(store, id))?.error ?? '', /no platform 'nowhere'/);
  assert.equal(await store.handoffs.request(id, 'fake'), true, 'it may be tried again');
  await until(async () => /no home chat; write \/sethome/.test((await store.handoffs.get(id))?.error ?? ''));
  const routes = [];
  for await (const route of gateway.routing.each()) routes.push(route);
  assert.deepEqual(routes, []);
});

test('a group in which each member has a conversation of their own is no place before it is known whose it is', async (t) => {
  const { fake, store, server } = await opened(t);
  const inGroup = (user: string) => ({
    source: {
      platform: 'fake',
      chat_id: 'home',
      chat_name: 'Group',
      chat_type: 'group' as const,
      user_id: user,
      user_name: user,
      thread_id: null,
      chat_topic: null,
    },
  });
  await fake.say('hi', inGroup('alice'));
  await fake.until(() => fake.texts('home').length === 1);
  const id = await conversation(store);
  await store.handoffs.request(id, 'fake');
  await fake.until(() => fake.texts('home').length === 2);
  await fake.say('and now?', inGroup('alice'));
  await fake.until(() => fake.texts('home').length === 3);
  assert.match(JSON.stringify(server.lastRequest.body.messages), /Blue it is/);
  await fake.say('hi', inGroup('bob'));
  await fake.until(() => fake.texts('home').length === 4);
  assert.doesNotMatch(JSON.stringify(server.lastRequest.body.messages), /Blue it is/);
  const other = await conversation(store, 'other');
  await store.handoffs.request(other, 'fake');
  assert.match((await ended(store, other))?.error ?? '', /Several people have a conversation of their own/);
});

test('what an earlier gateway died with is failed, so that it can be tried again', async (t) => {
  const first = await opened(t);
  const id = await conversation(first.store);
  await first.close();
  const program = await first.place.open();
  assert.ok(program.store);
  await program.store.handoffs.request(id, 'fake');
  await program.store.handoffs.claim(id);
  await program.close();
  const { store } = await opened(t, { place: first.place });
  assert.match((await ended(store, id))?.error ?? '', /gateway was stopped/);
});

test('a gateway that dies after it has taken one over leaves it to the next one, which says so once', async (t) => {
  const first = await opened(t);
  const id = await conversation(first.store);
  const lease = await first.store.leases.take(id, 'cli', { ttlMs: 60_000 });
  assert.ok(lease.granted);
  await first.store.handoffs.request(id, 'fake');
  assert.equal((await ended(first.store, id))?.state, 'completed');
  await first.store.leases.release(id, lease.fence);
  await first.close();
  assert.deepEqual(first.fake.texts('home'), []);
  const { fake } = await opened(t, { place: first.place });
  await fake.until(() => fake.texts('home').length > 0);
  await fake.say('and the door?', { chat: 'home' });
  await fake.until(() => fake.texts('home').length > 1);
  assert.deepEqual(fake.texts('home'), ['Here I am.', 'Here I am.']);
});

test('in a Telegram group with topics it gets a topic of its own, and whoever answers there is understood', async (t) => {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const { group } = fake.places;
  const raw = { telegram: { ...fake.block, home_channel: { chat_id: group.chatId } } } as JsonObject;
  const { config: platformConfig } = readPlatform(telegram, { raw, variables: fake.variables });
  const { server, store } = await opened(t, { platforms: [{ platform: telegram, config: platformConfig }] });
  const id = await conversation(store);
  await store.handoffs.request(id, 'telegram');
  assert.equal((await ended(store, id))?.error, undefined);
  const topics = fake.server.chats.topics.get(Number(group.chatId));
  const [topic = 0] = [...(topics ?? [])].find(([, name]) => name === 'Hermes — The cli_session') ?? [];
  const inTopic = { chatId: group.chatId, threadId: String(topic) };
  await until(() => fake.shown(inTopic).length === 1);
  await fake.write({ in: inTopic, text: 'and the door?', mention: true });
  await until(() => fake.shown(inTopic).length === 2);
  assert.match(JSON.stringify(server.lastRequest.body.messages), /Blue it is\.[^]*and the door\?/);
});
