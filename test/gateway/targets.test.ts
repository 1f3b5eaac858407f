/** Where things go: chats by id and by name, those that take nothing any more, and the directory of them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { webhookChats } from '../../src/gateway/delivery/webhook-chats.ts';
import { readPlatform } from '../../src/gateway/process/configured-platforms.ts';
import { platform as matrix } from '../../src/gateway/platforms/matrix/matrix.ts';
import { platform as telegram } from '../../src/gateway/platforms/telegram/telegram.ts';
import { readDirectory } from '../../src/gateway/targets/channel-directory.ts';
import { findChat, parseTarget } from '../../src/gateway/targets/target.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { FakeTelegram } from '../fakes/telegram-platform.ts';
import { until } from './fake-host.ts';
import { openGateway } from './support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\nstreaming:\n  enabled: false\n';
const none = { updatedAt: null, platforms: {} };

function configured(platform: typeof telegram, variables: Record<string, string> = {}) {
  return { platform, config: readPlatform(platform, { raw: {}, variables }).config };
}

async function telegramGateway(t: TestContext) {
  const server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const variables = { ...fake.variables, TELEGRAM_HOME_CHANNEL: '-1002' };
  const { config } = readPlatform(telegram, { raw: { telegram: { ...fake.block } } as JsonObject, variables });
  const options = { config: quiet, platforms: [{ platform: telegram, config }] };
  const opened = await openGateway(t, server, options);
  const { place } = opened;
  const file = (name: string): unknown => JSON.parse(readFileSync(join(place.homePath, name), 'utf8'));
  return { ...opened, telegram: fake, file, again: async () => await openGateway(t, server, { ...options, place }) };
}

test('targets name the home chat, a chat and a thread by their ids, each in the form of its platform', () => {
  const find = (text: string, on = telegram) => findChat(configured(on), parseTarget(text).chat, none).to;
  assert.equal(parseTarget(' Telegram ').platform, 'telegram');
  assert.deepEqual(find('telegram:-1001'), { chatId: '-1001', threadId: null });
  assert.deepEqual(find('telegram:-1001:7'), { chatId: '-1001', threadId: '7' });
  assert.deepEqual(find('telegram:@news'), { chatId: '@news', threadId: null });
  assert.deepEqual(find('matrix:!a:b.test', matrix), { chatId: '!a:b.test', threadId: null });
  assert.deepEqual(find('matrix:!a:b.test:8448:$c', matrix), { chatId: '!a:b.test:8448', threadId: '$c' });
  const home = configured(telegram, { TELEGRAM_HOME_CHANNEL: '5', TELEGRAM_HOME_CHANNEL_THREAD_ID: '6' });
  assert.deepEqual(findChat(home, undefined, none).to, { chatId: '5', threadId: '6' });
  assert.throws(() => find('telegram'), /Telegram has no home chat/);
  assert.throws(() => find('telegram:Nobody'), /No chat of Telegram is called 'Nobody'/);
});

test('a name is looked for as an id, a name, its label and a beginning, and what may be several is asked back', (t) => {
  const { home, write } = temporaryHome(t);
  const entries = [
    { id: '1', name: 'General', type: 'group', guild: 'Work' },
    { id: '2', name: 'general', type: 'group', guild: 'Home' },
    { id: '-3:7', name: 'Friends / Plans', type: 'group', thread_id: '7' },
    { id: 4, name: 'bot-home', type: 'channel', guild: null, thread_id: null },
    { name: 'no id' },
  ];
  write(
    'channel_directory.json',
    JSON.stringify({ updated_at: '2026-01-01T00:00:00', platforms: { telegram: entries } }),
  );
  write('channel_aliases.json', JSON.stringify({ telegram: { '4': 'Reports' } }));
  const find = (chat: string) => findChat(configured(telegram), chat, readDirectory(home.path)).to;
  assert.deepEqual(find('#work/general'), { chatId: '1', threadId: null });
  assert.deepEqual(find('friends'), { chatId: '-3', threadId: '7' });
  assert.deepEqual(find('reports'), { chatId: '4', threadId: null });
  assert.throws(
    () => find('#General'),
    (error: Error & { hint?: string }) =>
      /several/.test(error.message) && /Work\/General \(1\), Home\/general \(2\)/.test(error.hint ?? ''),
  );
  write('channel_directory.json', '{broken');
  assert.deepEqual(readDirectory(home.path), none);
});

test('the directory holds the home chat, and from the next look on whoever wrote, in the form of the original', async (t) => {
  const { telegram: fake, file, close, again, place } = await telegramGateway(t);
  const entries = () => readDirectory(place.homePath).platforms['telegram'] ?? [];
  await until(() => entries().length > 0);
  assert.deepEqual(file('channel_directory.json'), {
    updated_at: readDirectory(place.homePath).updatedAt,
    platforms: { telegram: [{ id: '-1002', name: 'home', type: 'home' }] },
  });
  await fake.write({ in: fake.places.dm, text: 'hi' });
  await until(() => fake.shown(fake.places.dm).length > 0);
  await fake.write({ in: fake.places.thread, text: 'and here', mention: true });
  await until(() => fake.shown(fake.places.thread).length > 0);
  await close();
  await again();
  await until(() => entries().length === 3);
  assert.deepEqual(entries(), [
    { id: '-1001:7', name: 'Friends / 7', type: 'group', thread_id: '7' },
    { id: '1001', name: 'Fred', type: 'dm' },
    { id: '-1002', name: 'home', type: 'home' },
  ]);
});

test('a chat that blocked the bot is written down, skipped by what is routed there, and not any more once it writes', async (t) => {
  const { gateway, telegram: fake, file } = await telegramGateway(t);
  const { dm } = fake.places;
  const chats = webhookChats(gateway);
  const deliver = async (id: string, lasting: boolean) =>
    await chats.deliver({ platform: 'telegram', chatId: '1001', threadId: undefined }, 'news', {
      id,
      route: 'r',
      deliveryId: id,
      lasting,
      mayRepeat: false,
      signal: AbortSignal.timeout(30_000),
    });
  fake.trouble({ as: 'forbidden' });
  assert.deepEqual(await deliver('one', true), { as: 'delivered' });
  await until(() => gateway.deadTargets.has({ platform: 'telegram', chatId: '1001' }));
  const written = file('gateway/dead_targets.json') as Record<string, Record<string, string>>;
  assert.deepEqual(Object.keys(written), ['telegram:1001']);
  assert.deepEqual(Object.keys(written['telegram:1001'] ?? {}), ['platform', 'chat_id', 'reason', 'marked_at']);
  const skipped = await deliver('two', true);
  assert.match(skipped.as === 'failed' ? skipped.error : '', /^dead_target/);
  await fake.write({ in: dm, text: 'I am back' });
  await until(() => fake.shown(dm).some(({ text }) => text === 'Hello.'));
  assert.deepEqual(file('gateway/dead_targets.json'), {});
  assert.deepEqual(await deliver('three', false), { as: 'delivered' });
});

test('a damaged list of dead targets is none', async (t) => {
  const { gateway, place } = await telegramGateway(t);
  mkdirSync(join(place.homePath, 'gateway'), { recursive: true });
  writeFileSync(join(place.homePath, 'gateway/dead_targets.json'), '[[[');
  assert.equal(gateway.deadTargets.has({ platform: 'telegram', chatId: '1' }), false);
});
