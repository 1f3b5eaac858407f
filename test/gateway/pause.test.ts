/** The pause between the things of one reply. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendReply } from '../../src/gateway/delivery/send-reply.ts';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';

async function send(stop = new AbortController(), stopsAt = Number.POSITIVE_INFINITY) {
  const done: string[] = [];
  const adapter: PlatformAdapter = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    chatInfo: () => Promise.resolve(undefined),
    send: ({ text }) => Promise.resolve({ ok: true, messageId: String(done.push(text)) }),
    files: {
      fetch: () => Promise.reject(new Error('nothing comes')),
      send: ({ name }) => Promise.resolve({ ok: true, messageId: String(done.push(name)) }),
    },
  };
  const file = (name: string) => ({ kind: 'document' as const, path: `/work/${name}`, name });
  const result = await sendReply(
    {
      reply: { id: 'r', chatId: 'c', threadId: null, content: 'two files' },
      details: { files: [file('a'), file('b')] },
      partsSent: 0,
      repeat: false,
    },
    {
      adapter,
      facts: { maxMessageLength: 300, lengthUnit: 'utf16', sendsOnce: false },
      replyToMode: 'off',
      pause: { least: 800, most: 2500 },
      clock: {
        now: () => 0,
        sleep: (ms) => {
          if (done.push(`${ms} ms`) >= stopsAt) stop.abort();
          return Promise.resolve();
        },
        random: () => 0.5,
      },
      signal: stop.signal,
    },
  );
  return { done, ok: result.ok };
}

test('with a human delay the files of a reply come one after the other, as people send them', async () => {
  assert.deepEqual(await send(), { done: ['two files', '1650 ms', 'a', '1650 ms', 'b'], ok: true });
});

test('a gateway that stops in the pause has not sent the rest, and says so to the outbox', async () => {
  assert.deepEqual(await send(new AbortController(), 4), { done: ['two files', '1650 ms', 'a', '1650 ms'], ok: false });
});
