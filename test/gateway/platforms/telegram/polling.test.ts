import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlatformError } from '../../../../src/gateway/platform/platform-error.ts';
import { until } from '../../fake-host.ts';
import { openTelegram, signal } from './open-telegram.ts';

const conflict = {
  status: 409,
  description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
};

test('nothing that waits is thrown away at the start, and a webhook that was set is taken away', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await fake.write({ in: fake.places.dm, text: 'early' });
  await adapter.connect(signal());
  await until(() => host.accepted.length === 1);
  const { args } = fake.server.requests.find(({ method }) => method === 'deleteWebhook') ?? {};
  assert.deepEqual(args, { drop_pending_updates: false });
  const first = fake.server.requests.find(({ method }) => method === 'getUpdates');
  assert.equal(first?.args['offset'], undefined);
  assert.deepEqual(first?.args['allowed_updates'], ['message', 'channel_post', 'callback_query']);
});

test('five conflicts in a row are waited for, longer each time; the sixth needs the operator', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault('getUpdates', ...Array.from({ length: 6 }, () => conflict));
  await adapter.connect(signal());
  await until(() => host.failures.length === 1);
  assert.equal(host.failures[0]?.code, 'telegram_polling_conflict');
  assert.equal(host.failures[0]?.retryable, false);
  assert.deepEqual(host.sleeps, [20_000, 30_000, 40_000, 50_000, 60_000]);
  const { length } = fake.server.requests;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(fake.server.requests.length, length);
});

test('conflicts that end are forgotten', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault('getUpdates', ...Array.from({ length: 5 }, () => conflict));
  await adapter.connect(signal());
  await fake.write({ in: fake.places.dm, text: 'hi' });
  await until(() => host.accepted.length === 1);
  assert.deepEqual(host.failures, []);
});

test('a bot that somebody else reads has the older reader told', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await adapter.connect(signal());
  await until(() => fake.server.requests.some(({ method }) => method === 'getUpdates'));
  await fetch(`${fake.server.url}/bot${fake.server.token}/getUpdates`);
  await until(() => host.sleeps.length === 1);
  assert.deepEqual(host.sleeps, [20_000]);
});

test('a server that fails is asked again, at most ten times', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault(
    'getUpdates',
    ...Array.from({ length: 11 }, () => ({ status: 502, body: '<html>Bad Gateway</html>' })),
  );
  await adapter.connect(signal());
  await until(() => host.failures.length === 1);
  assert.equal(host.failures[0]?.code, 'telegram_network_error');
  assert.equal(host.failures[0]?.retryable, true);
  assert.deepEqual(
    host.sleeps.map((ms) => Math.floor(ms / 1000)),
    [5, 10, 20, 40, 60, 60, 60, 60, 60, 60],
  );
});

test('the time that Telegram asks for is waited', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault('getUpdates', { status: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } });
  await adapter.connect(signal());
  await fake.write({ in: fake.places.dm, text: 'hi' });
  await until(() => host.accepted.length === 1);
  assert.deepEqual(host.sleeps, [3000]);
});

test('a token that is taken back ends the connection', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault('getUpdates', { status: 401, description: 'Unauthorized' });
  await adapter.connect(signal());
  await until(() => host.failures.length === 1);
  assert.deepEqual([host.failures[0]?.code, host.failures[0]?.retryable], ['telegram_wrong_token', false]);
});

test('a server that fails at the start is tried again by the gateway', async (t) => {
  const { adapter, fake } = await openTelegram(t);
  fake.server.fault('getMe', { status: 500 });
  await assert.rejects(adapter.connect(signal()), (error) => {
    assert.ok(error instanceof PlatformError);
    assert.deepEqual([error.code, error.retryable], ['telegram_connect_error', true]);
    return true;
  });
});

test('one bot belongs to one gateway', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await adapter.connect(signal());
  assert.deepEqual(host.locks, [`telegram-bot-token ${fake.server.token}`]);
});

test('what was received is known to Telegram when the gateway ends', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await adapter.connect(signal());
  host.whenAccepting(async () => {
    void adapter.disconnect();
    return 'accepted';
  });
  const id = await fake.write({ in: fake.places.dm, text: 'last' });
  await until(() => fake.isAcknowledged(id));
  await adapter.disconnect();
  assert.equal(fake.server.pending.length, 0);
});

test('a chat whose messages cannot be kept does not hold up the others', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  let refused = 0;
  host.whenAccepting(async ({ text }) => {
    if (text !== 'a1' || refused === 2) return 'accepted';
    refused += 1;
    throw new Error('no');
  });
  const { dm, group } = fake.places;
  await fake.write({ in: dm, text: 'a1' });
  await fake.write({ in: dm, text: 'a2' });
  const other = await fake.write({ in: group, text: 'b1' });
  await adapter.connect(signal());
  await until(() => fake.isAcknowledged(other));
  assert.equal(host.accepted[0]?.text, 'b1');
  const ofDm = host.accepted.filter(({ source }) => source.chat_id === dm.chatId).map(({ text }) => text);
  assert.deepEqual(ofDm, ['a1', 'a2']);
  assert.deepEqual(host.sleeps, [1000, 2000]);
});

test('what comes while the gateway ends is neither accepted nor lost', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await fake.write({ in: fake.places.dm, text: 'first' });
  await fake.write({ in: fake.places.dm, text: 'second' });
  let ending: Promise<void> | undefined;
  host.whenAccepting(async () => {
    ending ??= adapter.disconnect();
    return 'accepted';
  });
  await adapter.connect(signal());
  await until(() => ending !== undefined);
  await ending;
  assert.deepEqual(
    host.accepted.map(({ text }) => text),
    ['first'],
  );
  assert.equal(fake.server.pending.length, 1);
});

test('the short description of the bot says whether it is there, when that is wanted', async (t) => {
  const { adapter, fake } = await openTelegram(t, { status_indicator: true, status_online: 'Awake' });
  await adapter.connect(signal());
  assert.equal(fake.server.chats.shortDescription, 'Awake');
  await adapter.disconnect();
  assert.equal(fake.server.chats.shortDescription, 'Offline');
});

test('a proxy that answers in the place of Telegram does not make the token wrong', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  fake.server.fault('getMe', { status: 404, body: '<html>no such host</html>' });
  await assert.rejects(adapter.connect(signal()), { code: 'telegram_connect_error', retryable: true });
  await adapter.connect(signal());
  fake.server.fault('getUpdates', { status: 401, body: 'who are you?' });
  await fake.write({ in: fake.places.dm, text: 'still here' });
  await until(() => host.accepted.some(({ text }) => text === 'still here'));
  assert.deepEqual(host.failures, []);
});

test('a press that Telegram is slow to take note of holds nothing up', async (t) => {
  const { adapter, fake, host } = await openTelegram(t);
  await adapter.connect(signal());
  const held = Promise.withResolvers<void>();
  fake.server.hold('answerCallbackQuery', held.promise);
  const message = { message_id: 5, date: 1, chat: { id: 1001, type: 'private' } };
  const from = { id: 1001, is_bot: false, first_name: 'Fred' };
  fake.server.happen('callback_query', { id: 'q', from, data: 'p:prompt:once', message });
  await fake.write({ in: fake.places.dm, text: '/stop' });
  await until(() => host.accepted.length === 1);
  assert.equal(host.presses.length, 1);
  held.resolve();
});
