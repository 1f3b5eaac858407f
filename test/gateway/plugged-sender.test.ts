/** What a plug-in has for sending without the gateway, and what becomes of it when it fails. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { UserError } from '../../src/lib/errors.ts';
import { fakeHost } from './fake-host.ts';
import { platformOf } from './platform-of-plugin.ts';

// Code is loaded once from each.
let folders = 0;

async function senderOf(t: TestContext, fields: string): Promise<PlatformAdapter> {
  folders += 1;
  const platform = await platformOf(
    `sender${folders}`,
    `export default (ctx) => ctx.registerPlatform({ name: 'board', label: 'Board', required_env: ['BOARD_TOKEN'],
      adapter_factory: () => { throw new Error('no connection is wanted'); }, ${fields} });`,
  );
  const host = fakeHost(platform, { variables: { BOARD_TOKEN: 'tok-12345678' }, after: (clean) => t.after(clean) });
  const sender = platform.createSender?.(host);
  assert.ok(sender !== undefined);
  return sender;
}

const to = { chatId: '7', threadId: '3' };

async function send(adapter: PlatformAdapter, signal = AbortSignal.timeout(10_000)): Promise<SendResult> {
  return await adapter.send({ to, text: 'hi', idempotencyKey: 'k' }, signal);
}

test('standalone_sender_fn is given the settings, the chat, the text, the thread and files; its id is the answer', async (t) => {
  const adapter = await senderOf(
    t,
    `standalone_sender_fn: async (config, chat, message, { thread_id, media_files, force_document, signal }) => ({
      success: true,
      message_id: JSON.stringify([config.token, chat, message, thread_id, media_files, force_document, signal.aborted]),
    })`,
  );
  const given = (result: SendResult): unknown => JSON.parse((result.ok && result.messageId) || 'null');
  assert.deepEqual(given(await send(adapter)), ['tok-12345678', '7', 'hi', '3', [], false, false]);
  const file = {
    to,
    path: '/tmp/a.ogg',
    kind: 'voice',
    name: 'a.ogg',
    mimeType: 'audio/ogg',
    size: 3,
    idempotencyKey: 'f',
  } as const;
  const sent = await adapter.files?.send({ ...file, caption: 'listen' }, AbortSignal.timeout(10_000));
  assert.deepEqual(given(sent ?? (await send(adapter))), [
    'tok-12345678',
    '7',
    'listen',
    '3',
    [['/tmp/a.ogg', true]],
    false,
    false,
  ]);
  await adapter.disconnect();
});

test('a plug-in without standalone_sender_fn says that there is no live adapter', async (t) => {
  await assert.rejects(
    senderOf(t, ''),
    (error) => error instanceof UserError && error.message === "No live adapter for platform 'board'",
  );
});

test('a standalone_sender_fn that throws, gives an error or gives junk is told in one line, without its token', async (t) => {
  for (const [code, error] of [
    [
      "() => { throw new Error('no\\n way with tok-12345678') }",
      /^Plugin standalone send failed: no way with (?!tok-12345678)\S+$/,
    ],
    ["async () => { throw 'plain' }", /^Plugin standalone send failed: plain$/],
    ["async () => ({ error: 'room is\\n shut' })", /^room is shut$/],
    ["async () => ({ success: true, error: 'half of it' })", /^half of it$/],
    ['() => undefined', /^its adapter gave no answer that can be read$/],
    ['async () => 7', /^its adapter gave no answer that can be read$/],
  ] as const) {
    const result = await send(await senderOf(t, `standalone_sender_fn: ${code}`));
    assert.ok(!result.ok, code);
    assert.match(result.error, error);
    assert.equal(result.mayHaveArrived, undefined);
  }
});

test('a standalone_sender_fn that hangs is not waited for, and what it sends may have arrived', async (t) => {
  const adapter = await senderOf(t, 'standalone_sender_fn: () => new Promise(() => {})');
  const result = await send(adapter, AbortSignal.timeout(20));
  assert.deepEqual(result, {
    ok: false,
    kind: 'unknown',
    error: 'Plugin standalone send failed: no answer in time',
    mayHaveArrived: true,
  });
});
