/** A group that becomes a supergroup: its id is another one, and everything that stood under the old one goes on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { noLog } from '../../../../src/lib/log.ts';
import { readDirectory } from '../../../../src/gateway/targets/channel-directory.ts';
import { moveInSettings } from '../../../../src/gateway/process/moved-settings.ts';
import { platform } from '../../../../src/gateway/platforms/telegram/telegram.ts';
import { type ModelServer, startModelServer } from '../../../fakes/model-server.ts';
import { FakeTelegram } from '../../../fakes/telegram-platform.ts';
import { placeFor } from '../../../runtime/support.ts';
import { configOf, until } from '../../fake-host.ts';
import { openTelegram } from './open-telegram.ts';
import { type OpenOptions, openGateway } from '../../support.ts';
import { allRoutes } from '../../../sessions/chat-support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';
const to = '-1001234567890';

async function inGroup(t: TestContext, server: ModelServer, block: Readonly<Record<string, unknown>> = {}) {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const place = placeFor(t, server, quiet);
  const config = configOf(platform, fake.variables, { ...fake.block, ...block });
  const open = async (more: OpenOptions = {}) =>
    await openGateway(t, server, { place, platforms: [{ platform, config }], ...more });
  const old = fake.places.otherGroup;
  const moved = { chatId: to, threadId: null };
  const texts = () => fake.shown(moved).map(({ text }) => text);
  const told = (which: 'migrated to' | 'migrated from') => fake.isAcknowledged(which);
  return { fake, place, open, old, moved, texts, told };
}

function said(server: ModelServer, index: number): string {
  return JSON.stringify(server.requests.at(index)?.body.messages ?? []);
}

test('the conversation of a group goes on when it becomes a supergroup, and its names follow', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'noted' }) });
  const { fake, place, open, old, moved, texts, told } = await inGroup(t, server, { allowed_chats: ['-1002'] });
  writeFileSync(join(place.homePath, 'channel_aliases.json'), JSON.stringify({ telegram: { '-1002': 'plans' } }));
  const { gateway } = await open();
  await fake.write({ in: old, text: 'remember 7' });
  await until(() => fake.shown(old).length === 1);
  fake.migrate(old, to);
  await until(() => told('migrated to') && told('migrated from'));
  await fake.write({ in: moved, text: 'which number?' });
  await until(() => texts().length === 1);
  assert.match(said(server, -1), /remember 7.*noted.*which number/);
  const keys = [...(await allRoutes(gateway.routing)).keys()];
  assert.deepEqual(keys, [`agent:main:telegram:group:${to}:1001`]);
  await until(() => place.read('channel_directory.json').includes(to));
  assert.deepEqual(readDirectory(place.homePath).platforms['telegram'], [{ id: to, name: 'plans', type: 'group' }]);
});

test('a turn that runs when the group becomes a supergroup is answered there, once', async (t) => {
  const first = Promise.withResolvers<void>();
  await using server = await startModelServer({
    respond: async () => {
      if (server.requests.length === 1) await first.promise;
      return { text: 'the answer' };
    },
  });
  t.after(() => first.resolve());
  const { fake, open, old, moved, texts, told } = await inGroup(t, server);
  await open();
  await fake.write({ in: old, text: 'think' });
  await until(() => server.requests.length === 1);
  await fake.write({ in: old, text: 'and this' });
  fake.migrate(old, to);
  await until(() => told('migrated to') && told('migrated from'));
  await until(() => texts().length > 0);
  await fake.write({ in: moved, text: 'more?' });
  await until(() => said(server, -1).includes('more?') && texts().length > 1);
  const question = said(server, -1);
  for (const text of ['think', 'and this']) assert.equal(question.split(text).length, 2, text);
  assert.deepEqual(fake.shown(old), []);
});

test('an answer that waits to be sent goes to the supergroup, quotes nothing there, and comes once after a kill', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'late answer' }) });
  const { fake, open, old, texts, moved } = await inGroup(t, server);
  const hang = Promise.withResolvers<void>();
  hang.promise.catch(() => undefined);
  const before = await open({ chatMoved: () => hang.promise });
  const later = { status: 429, description: 'Too Many Requests', parameters: { retry_after: 3600 } };
  fake.server.fault('sendMessage', later);
  await fake.write({ in: old, text: 'hi' });
  const { store } = before.gateway.program;
  await until(() => fake.server.requests.some(({ method }) => method === 'sendMessage'));
  fake.migrate(old, to);
  // It is written down, and Telegram has not been told so.
  await until(async () => (await store?.chatRoutes.get(`agent:main:telegram:group:${to}:1001`)) !== undefined);
  hang.reject(new Error('killed'));
  await before.close();
  await open();
  await until(() => texts().length > 0);
  await fake.write({ in: moved, text: 'again' });
  await until(() => texts().length > 1);
  assert.deepEqual(texts(), ['late answer', 'late answer']);
  assert.equal(fake.shown(moved)[0]?.replyTo, undefined);
});

test('a group that became a supergroup while nobody looked is known by the refusal of the next message', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'noted' }) });
  const { fake, open, old, moved, texts } = await inGroup(t, server);
  const changed: string[] = [];
  const { gateway } = await open({ chatMoved: async (...names) => void changed.push(names.join(' ')) });
  await fake.write({ in: old, text: 'remember 7' });
  await until(() => fake.shown(old).length === 1);
  fake.migrate(old, to, { tells: false });
  await gateway.delivery.add({
    id: 'job1',
    sessionKey: '',
    platform: 'telegram',
    chatId: '-1002',
    threadId: null,
    content: 'the report',
    details: '{}',
  });
  await until(() => changed.length > 0);
  await fake.write({ in: moved, text: 'which number?' });
  await until(() => texts().length === 2);
  assert.match(said(server, -1), /remember 7.*which number/);
  assert.deepEqual([texts()[0], changed[0]], ['the report', `telegram -1002 ${to}`]);
});

test('what cannot be written down is asked for again', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'noted' }) });
  const { fake, open, old, told } = await inGroup(t, server);
  let tries = 0;
  const { gateway } = await open({
    chatMoved: async () => {
      tries += 1;
      if (tries < 3) throw new Error('the disk is full');
      return await Promise.resolve();
    },
    clock: { now: Date.now, random: Math.random, sleep: async (_ms, signal) => await aSlice(signal) },
  });
  assert.ok(gateway);
  fake.migrate(old, to);
  await until(() => told('migrated to') && told('migrated from'));
  assert.ok(tries >= 3);
});

test('a message of the old group is neither changed nor taken away in the supergroup, where its id means another', async (t) => {
  const { fake, host, adapter } = await openTelegram(t);
  const { otherGroup: old } = fake.places;
  const { signal } = new AbortController();
  const first = await adapter.send({ to: old, text: 'draft', idempotencyKey: '1' }, signal);
  assert.ok(first.ok && first.messageId !== null);
  fake.migrate(old, to, { tells: false });
  await fake.write({ in: { chatId: to, threadId: null }, from: 'self', text: 'another' });
  const edit = { to: old, text: 'final', idempotencyKey: '2' };
  assert.equal((await adapter.edits?.edit(first.messageId, edit, true, signal))?.ok, false);
  assert.equal((await adapter.edits?.remove?.(old, first.messageId, signal))?.ok, false);
  assert.ok(!fake.server.requests.some(({ args }) => args['chat_id'] === to));
  await until(() => host.movedChats.length > 0);
  assert.equal(host.movedChats[0], `-1002 ${to}`);
});

async function aSlice(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => setTimeout(resolve, 5));
  signal.throwIfAborted();
}

test('settings that name the group name the supergroup: variables, lists and keys, and what cannot is told', async () => {
  const variables: Record<string, string> = {
    TELEGRAM_HOME_CHANNEL: '-1002',
    TELEGRAM_GROUP_ALLOWED_CHATS: '-10021, -1002,5',
    TELEGRAM_ALLOWED_TOPICS: '-1002:7',
    OTHER: '-1002',
  };
  const raw = {
    platforms: {
      telegram: { home_channel: { chat_id: -1002, name: 'x' }, extra: { channel_prompts: { '-1002': 'be kind' } } },
    },
    telegram: { allowed_chats: ['-1002', 3] },
    cron: { chat: '-1002' },
  };
  const saved: unknown[] = [];
  const errors: string[] = [];
  const now = await moveInSettings(platform, '-1002', to, {
    log: { ...noLog, error: (line) => void errors.push(line) },
    variables: () => variables,
    raw: () => raw,
    saveVariables: async (given) => {
      if ('TELEGRAM_ALLOWED_TOPICS' in given) throw new Error('it is pinned');
      Object.assign(variables, given);
      await Promise.resolve();
    },
    saveSettings: async (changes) => await Promise.resolve(void saved.push(...changes)),
  });
  assert.deepEqual(variables, {
    TELEGRAM_HOME_CHANNEL: to,
    TELEGRAM_GROUP_ALLOWED_CHATS: `-10021, ${to},5`,
    TELEGRAM_ALLOWED_TOPICS: '-1002:7',
    OTHER: '-1002',
  });
  assert.deepEqual(saved, [
    { path: ['telegram', 'allowed_chats'], value: [to, 3] },
    { path: ['platforms', 'telegram', 'home_channel'], value: { chat_id: Number(to), name: 'x' } },
    { path: ['platforms', 'telegram', 'extra', 'channel_prompts'], value: { [to]: 'be kind' } },
  ]);
  assert.deepEqual([now['telegram'], now['cron']], [{ allowed_chats: [to, 3] }, { chat: '-1002' }]);
  assert.match(errors[0] ?? '', /^TELEGRAM_ALLOWED_TOPICS still names the chat -1002, which is -1001234567890 now/);
});
