import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { Connections } from '../../src/lib/connections.ts';

const signal = (): AbortSignal => AbortSignal.timeout(30_000);

test('a body that is a stream is sent while it is read', async (t) => {
  const { url, bodies } = await startServer(t);
  const connections = new Connections();
  const parts = Array.from({ length: 50 }, (_, index) => Buffer.from(`part ${index}\n`.repeat(1000)));
  const answer = await connections.send({ url, headers: {}, body: () => Readable.from(parts) }, signal());
  answer.resume();
  assert.equal(answer.statusCode, 200);
  assert.equal(bodies[0], Buffer.concat(parts).toString());
});

test('a stream that breaks off is an error of the request', async (t) => {
  const { url } = await startServer(t);
  const broken = (): Readable =>
    Readable.from(
      (async function* () {
        yield 'a';
        throw new Error('the disk is gone');
      })(),
    );
  await assert.rejects(
    new Connections().send({ url, headers: {}, body: broken }, signal()),
    /the disk is gone|aborted|hang up/,
  );
});

test('what must be done once is not sent again over a new connection', async (t) => {
  const { url, bodies, cut } = await startServer(t);
  const connections = new Connections();
  const send = async (body: string, once: boolean): Promise<unknown> => {
    const answer = await connections.send({ url, headers: {}, body, once }, signal());
    for await (const _ of answer);
    return answer.statusCode;
  };
  assert.equal(await send('first', true), 200);
  cut('second');
  await assert.rejects(send('second', true), { code: 'ECONNRESET' });
  assert.deepEqual(bodies, ['first', 'second']);
  assert.equal(await send('third', false), 200);
  cut('fourth');
  assert.equal(await send('fourth', false), 200);
  assert.deepEqual(bodies, ['first', 'second', 'third', 'fourth', 'fourth']);
});

test('names can be resolved by somebody else, and of several addresses one that answers is taken', async (t) => {
  const { url } = await startServer(t);
  const asked: string[] = [];
  const connections = new Connections({
    lookup: (name, _options, resolve) => {
      asked.push(name);
      resolve(
        null,
        ['127.0.0.2', '127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: 4 })),
      );
    },
  });
  const answer = await connections.send({ url: url.replace('127.0.0.1', 'bots.test'), headers: {} }, signal());
  answer.resume();
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(asked, ['bots.test']);
});

/** Takes a body that it was told to cut, and closes the connection without an answer, the first time. */
async function startServer(t: TestContext) {
  const bodies: string[] = [];
  const cuts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      if (cuts.at(-1) === body && cuts.pop() !== undefined) response.destroy();
      else response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, bodies, cut: (body: string) => void cuts.push(body) };
}
