/** What the gateway listens on for other programs: tried again where waiting helps, and left alone where it does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionStatus } from '../../../src/gateway/connections/platform-connection.ts';
import { KeptListener } from '../../../src/gateway/process/kept-listener.ts';
import type { HttpServer } from '../../../src/http/server.ts';
import { UserError } from '../../../src/lib/errors.ts';
import { noLog } from '../../../src/lib/log.ts';

const server: HttpServer = { url: 'http://127.0.0.1:1', port: 1, stop: () => Promise.resolve() };

function listener(answers: readonly (() => HttpServer)[]) {
  const states: ConnectionStatus['state'][] = [];
  const waits: number[] = [];
  const connected = Promise.withResolvers<void>();
  let opened = 0;
  const kept = new KeptListener({
    name: 'webhook',
    label: 'The webhook server',
    problem: undefined,
    log: noLog,
    clock: {
      now: () => 0,
      random: () => 0,
      sleep: async (ms) => {
        waits.push(ms);
        await Promise.resolve();
      },
    },
    open: async () => {
      opened += 1;
      const answer = answers[opened - 1] ?? answers.at(-1);
      return await Promise.resolve(answer === undefined ? server : answer());
    },
    onStatus: ({ state }) => {
      states.push(state);
      if (state === 'connected') connected.resolve();
    },
  });
  return { kept, states, waits, connected: connected.promise, opened: () => opened };
}

function fail(error: Error): () => HttpServer {
  return () => {
    throw error;
  };
}

test('a port that is in use is tried again until it is free', async () => {
  const taken = new UserError('The webhook server cannot listen.', { cause: new Error('EADDRINUSE') });
  const { kept, states, waits, connected } = listener([fail(taken), fail(taken), () => server]);
  await kept.start();
  await connected;
  await kept.stop(0);
  assert.deepEqual(states, ['connecting', 'retrying', 'retrying', 'connected', 'disconnected']);
  assert.deepEqual(waits, [5000, 30_000]);
});

test('settings that must not be are told once, and not tried again', async () => {
  const { kept, states, waits, opened } = listener([fail(new UserError('a route has no secret'))]);
  await kept.start();
  await kept.stop(0);
  assert.deepEqual([states, waits, opened()], [['connecting', 'fatal'], [], 1]);
  assert.equal(kept.status.error?.message, 'a route has no secret');
});
