/** Results of scheduled jobs that can be answered: what the chat shows, and what the model is asked after it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JobAddress } from '../../src/automation/cron/job-chats.ts';
import { cronChats } from '../../src/gateway/delivery/cron-chats.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readPlatform } from '../../src/gateway/process/configured-platforms.ts';
import { platform as telegram } from '../../src/gateway/platforms/telegram/telegram.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { matrix } from '../fakes/matrix-platform.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { until } from './fake-host.ts';
import { openGateway } from './support.ts';

const config = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';

async function bring(gateway: Gateway, to: JobAddress, { id = 'run 1', userId = null as string | null } = {}) {
  const chats = cronChats(gateway, (text) => ({ text, files: [], refused: [] }));
  const sources = [{ from: 'agent' as const }];
  const continued = { name: 'Weather', text: 'Rain at noon.', sources, userId };
  const text = 'Cronjob Response: Weather\n\nRain at noon.';
  await chats.send(to, { id, jobId: 'j', text, continued, signal: AbortSignal.timeout(30_000) });
}

async function openTelegram(t: TestContext, extra: JsonObject = {}) {
  const server = await startModelServer({ strict: true, respond: () => ({ text: 'Hello.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const raw = { telegram: { ...fake.block, ...extra } } as JsonObject;
  const { config: platformConfig } = readPlatform(telegram, { raw, variables: fake.variables });
  const platforms = [{ platform: telegram, config: platformConfig }];
  const { gateway } = await openGateway(t, server, { config, platforms });
  return { server, fake, gateway };
}

test('the next question in the chat finds the result before it, and roles go on to alternate', async (t) => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'Yes.' }) });
  const { fake, gateway } = await openGateway(t, server, { config });
  await fake.say('are you there?');
  await fake.until(() => fake.texts().length === 1);
  await bring(gateway, { platform: 'fake', chatId: 'c1', threadId: null }, { userId: 'alice' });
  await fake.until(() => fake.texts().length === 2);
  await fake.say('until when?');
  await fake.until(() => fake.texts().length === 3);
  const [first, second] = server.requests.map(({ body }) => body.messages);
  // What was asked before stands as it stood.
  assert.deepEqual(second?.slice(0, 2), first);
  const roles = second?.map(({ role }) => role);
  assert.deepEqual(roles, ['system', 'user', 'assistant', 'user']);
  const last = JSON.stringify(second?.at(-1)?.content);
  assert.match(last, /\[Cron delivery: Weather\]\\nRain at noon\.[^]*until when\?/);
  assert.doesNotMatch(last, /Cronjob Response/);
  assert.deepEqual(server.violations, []);
});

test('a result that is brought twice stands in the conversation once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Yes.' }) });
  const { fake, gateway } = await openGateway(t, server, { config });
  await fake.say('are you there?');
  await fake.until(() => fake.texts().length === 1);
  const to = { platform: 'fake', chatId: 'c1', threadId: null };
  await bring(gateway, to);
  await bring(gateway, to);
  await fake.until(() => fake.texts().length === 2);
  await fake.say('until when?');
  await fake.until(() => fake.texts().length === 3);
  assert.equal(JSON.stringify(server.lastRequest.body.messages).match(/Cron delivery/g)?.length, 1);
});

test('a chat in which nobody has written yet gets the result, and no conversation', async (t) => {
  await using server = await startModelServer();
  const { fake, gateway } = await openGateway(t, server, { config });
  await bring(gateway, { platform: 'fake', chatId: 'c2', threadId: null });
  await fake.until(() => fake.texts('c2').length === 1);
  assert.deepEqual(await gateway.program.store?.sessions.list({}), []);
});

test('after /new the result opens the new conversation', async (t) => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'Yes.' }) });
  const { fake, gateway } = await openGateway(t, server, { config });
  const { host } = fake;
  await fake.say('are you there?');
  await fake.until(() => fake.texts().length === 1);
  const event = { platform: 'fake', chat_id: 'c1', chat_name: null, chat_type: 'dm' } as const;
  const source = { ...event, user_id: 'alice', user_name: 'alice', thread_id: null, chat_topic: null };
  const key = gateway.keyOf(source);
  assert.ok(host);
  await gateway.chats.putDown(key, AbortSignal.timeout(10_000));
  await gateway.routing.reset(key, source);
  await bring(gateway, { platform: 'fake', chatId: 'c1', threadId: null });
  await fake.until(() => fake.texts().length === 2);
  await fake.say('until when?');
  await fake.until(() => fake.texts().length === 3);
  const { messages } = server.lastRequest.body;
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'user'],
  );
  assert.match(JSON.stringify(messages[1]), /Cron delivery: Weather[^]*until when/);
  assert.doesNotMatch(JSON.stringify(messages), /are you there/);
});

test('in a group with topics each run begins a topic, and whoever answers there is understood', async (t) => {
  const { server, fake, gateway } = await openTelegram(t);
  const { group } = fake.places;
  await fake.write({ in: group, text: 'hello', mention: true });
  await until(() => fake.shown(group).length > 0);
  await bring(gateway, { platform: 'telegram', chatId: group.chatId, threadId: null });
  const topics = fake.server.chats.topics.get(Number(group.chatId));
  await until(() => [...(topics?.values() ?? [])].includes('Weather'));
  const [topic = 0] = [...(topics ?? [])].find(([, name]) => name === 'Weather') ?? [];
  const inTopic = { chatId: group.chatId, threadId: String(topic) };
  await until(() => fake.shown(inTopic).length === 1);
  assert.match(fake.shown(inTopic)[0]?.text ?? '', /Rain at noon/);
  await fake.write({ in: inTopic, text: 'until when?', mention: true });
  await until(() => fake.shown(inTopic).length === 2);
  const { messages } = server.lastRequest.body;
  assert.match(JSON.stringify(messages[1]), /\[Cron delivery: Weather\]\\nRain at noon\.[^]*until when\?/);
  assert.doesNotMatch(JSON.stringify(messages), /hello/);
  assert.deepEqual(server.violations, []);
  await bring(gateway, { platform: 'telegram', chatId: group.chatId, threadId: null }, { id: 'run 2' });
  await until(() => [...(topics?.values() ?? [])].filter((name) => name === 'Weather').length === 2);
});

test('in a room of Matrix each run begins a thread, and whoever answers there is understood', async (t) => {
  const server = await startModelServer({ strict: true, respond: () => ({ text: 'Hello.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const fake = await matrix.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const raw = { matrix: { ...fake.block } } as JsonObject;
  const platforms = [
    { platform: matrix.platform, config: readPlatform(matrix.platform, { raw, variables: fake.variables }).config },
  ];
  const { gateway } = await openGateway(t, server, { config, platforms });
  const { group } = fake.places;
  await fake.write({ in: group, text: 'hello', mention: true });
  await until(() => fake.shown(group).length > 0);
  await bring(gateway, { platform: 'matrix', chatId: group.chatId, threadId: null });
  const root = () => fake.shown(group).find(({ text }) => text === 'Weather');
  await until(() => root() !== undefined);
  const thread = { chatId: group.chatId, threadId: root()?.id ?? '' };
  await until(() => fake.shown(thread).length === 1);
  await fake.write({ in: thread, text: 'until when?', mention: true });
  await until(() => fake.shown(thread).length === 2);
  const { messages } = server.lastRequest.body;
  assert.match(JSON.stringify(messages[1]), /\[Cron delivery: Weather\]\\nRain at noon\.[^]*until when\?/);
});

test('with cron_continuable_surface in_channel, or where no topic can be begun, the chat itself goes on', async (t) => {
  const { server, fake, gateway } = await openTelegram(t, { cron_continuable_surface: 'in_channel' });
  const { group, dm } = fake.places;
  await fake.write({ in: group, text: 'hello', mention: true });
  await until(() => fake.shown(group).length === 1);
  await bring(gateway, { platform: 'telegram', chatId: group.chatId, threadId: null }, { userId: '501' });
  await bring(gateway, { platform: 'telegram', chatId: group.chatId, threadId: null }, { id: 'run 2' });
  await until(() => fake.shown(group).length === 3);
  assert.deepEqual([...(fake.server.chats.topics.get(Number(group.chatId))?.values() ?? [])], ['Plans']);
  await fake.write({ in: group, text: 'until when?', mention: true });
  await until(() => fake.shown(group).length === 4);
  // The first was for a person who has no conversation there.
  assert.equal(JSON.stringify(server.lastRequest.body.messages).match(/Cron delivery/g)?.length, 1);
  await fake.write({ in: dm, text: 'hello' });
  await until(() => fake.shown(dm).length === 1);
  await bring(gateway, { platform: 'telegram', chatId: dm.chatId, threadId: null }, { id: 'run 3' });
  await until(() => fake.shown(dm).length === 2);
});
