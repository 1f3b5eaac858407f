/** Streams of events, and readers that do not read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStream } from '../../src/http/event-stream.ts';
import { until } from './api/support.ts';

test('a reader that does not read is let go before much waits for it', async () => {
  let left = 0;
  const stream = new EventStream({ onLeft: () => void (left += 1) });
  for (let count = 0; stream.isOpen; count += 1) {
    assert.ok(count < 40, 'the stream is still open');
    stream.send({ data: 'x'.repeat(1_000_000) });
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.send({ data: 'more' });
  stream.end();
  assert.equal(left, 1);
  await assert.rejects(stream.response.text());
});

test('whoever leaves is told once, and what is sent afterwards is dropped', async () => {
  let left = 0;
  const stream = new EventStream({ onLeft: () => void (left += 1) });
  stream.send({ event: 'a', id: '1', data: { half: '\ud800' } });
  const reader = stream.response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  assert.equal(first, 'event: a\nid: 1\ndata: {"half":"\\ud800"}\n\n');
  await reader?.cancel();
  stream.send({ data: 'late' });
  stream.end();
  assert.deepEqual([left, stream.isOpen], [1, false]);
});

test('silence is broken by comments', async () => {
  const stream = new EventStream({ keepAliveMs: 5 });
  const reader = stream.response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  await until(async () => (seen += (await reader?.read())?.value ?? '').split(': keepalive\n\n').length > 2);
  stream.end();
});
