/** What is counted beside a conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Meters } from '../../../src/cli/interactive/meters.ts';
import { noLog } from '../../../src/lib/log.ts';
import type { WorkerEvent } from '../../../src/worker/worker.ts';

const taken: WorkerEvent = {
  type: 'message_taken',
  message: { id: 'm', kind: 'said', content: 'go', queuedAt: 0 },
} as never;
const finished: WorkerEvent = { type: 'turn_finished', result: { finalResponse: 'done' } } as never;

function metersAt(clock: { ms: number }): Meters {
  return new Meters({
    session: () => undefined,
    cwd: '/',
    showCost: false,
    limit: undefined,
    refresh: () => undefined,
    log: noLog,
    now: () => clock.ms,
  });
}

test('the time that a person takes to answer is no time of work', () => {
  const clock = { ms: 1000 };
  const meters = metersAt(clock);
  meters.hear(taken);
  clock.ms = 3000;
  meters.asks(true);
  clock.ms = 63_000;
  assert.deepEqual(meters.facts.turn, { ms: 2000, running: true });
  meters.asks(false);
  clock.ms = 64_000;
  meters.hear(finished);
  clock.ms = 99_000;
  assert.deepEqual([meters.turnMs, meters.facts.turn], [3000, { ms: 3000, running: false }]);
  meters.hear(taken);
  clock.ms = 99_500;
  assert.equal(meters.turnMs, 500, 'the next turn counts anew');
});

test('a turn that begins while a person is still asked counts from the answer on', () => {
  const clock = { ms: 0 };
  const meters = metersAt(clock);
  meters.asks(true);
  clock.ms = 5000;
  meters.hear(taken);
  clock.ms = 8000;
  assert.equal(meters.turnMs, 0);
  meters.asks(false);
  clock.ms = 9000;
  assert.equal(meters.turnMs, 1000);
});
