/** How much of one message of a server over HTTP is taken. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { fetchFor } from '../../src/mcp/http-fetch.ts';

const megabyte = 1024 * 1024;

/** Answers with so many megabytes of `line`, one piece of a megabyte after the other. */
async function streaming(t: TestContext, line: string, megabytes: number): Promise<() => Promise<number>> {
  const piece = Buffer.from(line.repeat(Math.ceil(megabyte / line.length)));
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Who reads may go away before the end.
    pipeline(Readable.from(Array.from({ length: megabytes }, () => piece)), response, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const reach = { kind: 'http', url, headers: {}, looksFirst: false, verify: true } as const;
  const fetch = fetchFor('s', reach, { proxies: {} });
  return async () => {
    let bytes = 0;
    const answer = await fetch(url, {});
    for await (const part of answer.body ?? []) bytes += part.length;
    return bytes;
  };
}

test('an event whose lines never end is cut off', async (t) => {
  const read = await streaming(t, `data: ${'x'.repeat(1000)}\n`, 80);
  await assert.rejects(read(), /too long/);
});

test('a stream of many events may be as long as it likes, whatever ends their lines', async (t) => {
  for (const end of ['\n', '\r\n']) {
    const read = await streaming(t, `data: ${'x'.repeat(1000)}${end}${end}`, 80);
    assert.ok((await read()) >= 80 * megabyte);
  }
});
