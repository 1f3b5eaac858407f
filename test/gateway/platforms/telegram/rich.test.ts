/** Messages that Telegram lays out by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platform } from '../../../../src/gateway/platforms/telegram/telegram.ts';
import { openTelegram, signal } from './open-telegram.ts';

const to = { chatId: '1001', threadId: null };
const table = '# Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |';
const richly = { rich_messages: true, rich_drafts: true };

test('they are for those who want them, and so is their length', async (t) => {
  const variables = { TELEGRAM_BOT_TOKEN: '123456789:AAsome-token-0123456789' };
  assert.equal(platform.read(variables, {}).maxMessageLength, undefined);
  assert.equal(platform.read(variables, { rich_messages: true }).maxMessageLength, 32_768);
  const { adapter, fake } = await openTelegram(t);
  await adapter.send({ to, text: table, idempotencyKey: '1' }, signal());
  assert.deepEqual(fake.server.chats.rich, []);
});

test('answers, edits and drafts go as they are written', async (t) => {
  const { adapter, fake } = await openTelegram(t, richly);
  const long = `${table}\n${'word '.repeat(2000)}`;
  const sent = await adapter.send({ to, text: long, idempotencyKey: '1' }, signal());
  assert.ok(sent.ok && sent.messageId !== null);
  assert.equal(
    (await adapter.edits?.edit(sent.messageId, { to, text: table, idempotencyKey: '2' }, true, signal()))?.ok,
    true,
  );
  // Nothing has changed.
  assert.equal(
    (await adapter.edits?.edit(sent.messageId, { to, text: table, idempotencyKey: '3' }, true, signal()))?.ok,
    true,
  );
  await adapter.drafts?.show(to, 7, '| a |', signal());
  assert.deepEqual(fake.server.chats.rich, [long, table, table, '| a |']);
  assert.deepEqual(
    fake.shown(to).map(({ text }) => text),
    [table],
  );
  await adapter.send({ to, text: table, plain: true, idempotencyKey: '4' }, signal());
  assert.equal(fake.server.chats.rich.length, 4, 'what is plain stays plain');
});

test('what is refused as one is sent as usual, in parts, and quotes what it answers', async (t) => {
  const { adapter, fake } = await openTelegram(t, richly);
  const lines = Array.from({ length: 1500 }, (_, index) => `line ${index}`);
  const sent = await adapter.send({ to, text: `<refused> ${lines.join('\n')}`, idempotencyKey: '1' }, signal());
  assert.equal(sent.ok, true);
  const shown = fake.shown(to).map(({ text }) => text);
  assert.ok(shown.length > 2);
  for (const line of lines) assert.ok(shown.join('\n').includes(line), line);
});

test('a server that does not know them is not asked again', async (t) => {
  const { adapter, fake } = await openTelegram(t, richly);
  fake.server.fault('sendRichMessage', { status: 404, description: 'Not Found' });
  for (const text of ['one', 'two']) assert.ok((await adapter.send({ to, text, idempotencyKey: text }, signal())).ok);
  await adapter.drafts?.show(to, 7, 'three', signal());
  const asked = fake.server.requests.map(({ method }) => method);
  assert.deepEqual(asked, ['sendRichMessage', 'sendMessage', 'sendMessage', 'sendMessageDraft']);
});

test('what keeps any message from its chat is told as usual', async (t) => {
  const { adapter, fake } = await openTelegram(t, richly);
  fake.server.fault('sendRichMessage', {
    status: 429,
    description: 'Too Many Requests',
    parameters: { retry_after: 3 },
  });
  const limited = await adapter.send({ to, text: 'one', idempotencyKey: '1' }, signal());
  assert.ok(!limited.ok && limited.kind === 'rate_limited' && limited.retryAfterMs === 3000);
  fake.server.fault('sendRichMessage', { status: 403, description: 'Forbidden: bot was blocked by the user' });
  const blocked = await adapter.send({ to, text: 'one', idempotencyKey: '1' }, signal());
  assert.ok(!blocked.ok && blocked.kind === 'forbidden');
  assert.deepEqual(fake.shown(to), []);
});
