import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { PlatformError } from '../../../../src/gateway/platform/platform-error.ts';
import { TelegramAdapter } from '../../../../src/gateway/platforms/telegram/adapter.ts';
import { until } from '../../fake-host.ts';
import { openTelegram, signal } from './open-telegram.ts';

const secret = 'a0b1c2d3e4f5-_secret';
const settings = { webhook_url: 'https://bot.example.com/hook', webhook_host: '127.0.0.1', webhook_port: 0 };

async function openWebhook(t: TestContext) {
  const opened = await openTelegram(t, settings, { TELEGRAM_WEBHOOK_SECRET: secret });
  await opened.adapter.connect(signal());
  assert.ok(opened.adapter instanceof TelegramAdapter);
  const url = `http://127.0.0.1:${opened.adapter.webhookPort}/hook`;
  opened.fake.server.webhookAt = url;
  const post = async (body: string, headers: Record<string, string> = {}, path = url): Promise<number> => {
    const all = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret, ...headers };
    return (await fetch(path, { method: 'POST', headers: all, body, signal: signal() })).status;
  };
  return { ...opened, url, post };
}

test('messages come in order, none waits in vain, and Telegram is told once they are safe', async (t) => {
  const { fake, host } = await openWebhook(t);
  let asked = 0;
  host.whenAccepting(async () => {
    asked += 1;
    if (asked === 1) throw new Error('the disk is full');
    return 'accepted';
  });
  const ids: string[] = [];
  for (const text of ['1', '2', '3']) ids.push(await fake.write({ in: fake.places.dm, text }));
  await until(() => host.accepted.length === 3);
  assert.deepEqual(
    host.accepted.map(({ text }) => text),
    ['1', '2', '3'],
  );
  await until(() => ids.every((id) => fake.isAcknowledged(id)));
  const { args } = fake.server.requests.find(({ method }) => method === 'setWebhook') ?? {};
  assert.partialDeepStrictEqual(args, { secret_token: secret, drop_pending_updates: false, max_connections: 1 });
});

test('what waited before the webhook was set is delivered', async (t) => {
  const opened = await openTelegram(t, settings, { TELEGRAM_WEBHOOK_SECRET: secret });
  await opened.fake.write({ in: opened.fake.places.dm, text: 'early' });
  await opened.adapter.connect(signal());
  assert.ok(opened.adapter instanceof TelegramAdapter);
  opened.fake.server.webhookAt = `http://127.0.0.1:${opened.adapter.webhookPort}/hook`;
  await opened.fake.write({ in: opened.fake.places.dm, text: 'late' });
  await until(() => opened.host.accepted.length === 2);
  assert.deepEqual(
    opened.host.accepted.map(({ text }) => text),
    ['early', 'late'],
  );
});

test('without a secret nothing is opened', async (t) => {
  for (const TELEGRAM_WEBHOOK_SECRET of ['', 'with spaces', 'changeme']) {
    const { adapter, fake } = await openTelegram(t, settings, { TELEGRAM_WEBHOOK_SECRET });
    await assert.rejects(adapter.connect(signal()), (error) => {
      assert.ok(error instanceof PlatformError);
      assert.deepEqual([error.code, error.retryable], ['telegram_webhook_secret', false]);
      return true;
    });
    assert.equal(fake.requests, 0);
  }
});

test('whoever does not know the secret is refused, and nothing is run', async (t) => {
  const { host, post, url } = await openWebhook(t);
  const update = JSON.stringify({
    update_id: 1,
    message: { message_id: 1, date: 1, chat: { id: 1, type: 'private' }, text: 'x' },
  });
  assert.equal(await post(update, { 'x-telegram-bot-api-secret-token': 'wrong' }), 401);
  assert.equal(await post(update, { 'x-telegram-bot-api-secret-token': '' }), 401);
  assert.equal((await fetch(url, { method: 'POST', body: update })).status, 401);
  assert.equal((await fetch(url)).status, 401);
  assert.deepEqual(host.accepted, []);
});

test('what is no update is refused, too', async (t) => {
  const { host, post, url } = await openWebhook(t);
  assert.equal(await post('{"update_id": 1', {}), 400);
  assert.equal(await post('{}', { 'content-type': 'text/plain' }), 415);
  assert.equal(await post('{}', {}, `${url}/other`), 404);
  assert.equal(await post(JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) })).catch(() => 413), 413);
  for (const unknown of ['{"update_id": 1}', '[1]', `{"update_id":${'['.repeat(5000)}${']'.repeat(5000)}}`]) {
    assert.equal(await post(unknown), 200, 'what is not known yet is passed over');
  }
  assert.deepEqual(host.accepted, []);
});

test('an answer that is too long is refused before it was read', async (t) => {
  const { adapter } = await openWebhook(t);
  assert.ok(adapter instanceof TelegramAdapter);
  const socket = connect(adapter.webhookPort ?? 0, '127.0.0.1');
  socket.write(
    `POST /hook HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nx-telegram-bot-api-secret-token: ${secret}\r\ncontent-length: 99999999\r\n\r\n{`,
  );
  const [head] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk: Buffer) => resolve([chunk])));
  assert.match(head?.toString() ?? '', /^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('a port that is taken is told with what to change', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { adapter, fake } = await openTelegram(
    t,
    { ...settings, webhook_port: port },
    { TELEGRAM_WEBHOOK_SECRET: secret },
  );
  await assert.rejects(adapter.connect(signal()), /TELEGRAM_WEBHOOK_PORT/);
  assert.equal(fake.server.webhook, undefined);
});

test('after the end nobody listens, and Telegram keeps what comes', async (t) => {
  const { adapter, fake, host, url } = await openWebhook(t);
  await adapter.disconnect();
  await assert.rejects(fetch(url));
  fake.server.webhookAt = undefined;
  await fake.write({ in: fake.places.dm, text: 'later' });
  assert.equal(fake.server.pending.length, 1);
  assert.deepEqual(host.accepted, []);
});
