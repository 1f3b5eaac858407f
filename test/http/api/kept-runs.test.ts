/** What is kept of runs that are over: for an hour, and no more than fits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Run } from '../../../src/http/api/runs/run.ts';
import { RunHuman } from '../../../src/http/api/runs/run-human.ts';
import { Runs } from '../../../src/http/api/runs/runs.ts';

function talkative(id: string, deltas: number, delta: string): Run {
  const run = new Run(id, { sessionId: id, model: 'm' });
  for (let count = 0; count < deltas; count += 1) run.hear({ type: 'text_delta', text: delta });
  return run;
}

function eventsOf(run: Run): number[] {
  const ids: number[] = [];
  run.listen(0, (event) => event !== undefined && ids.push(event.id))();
  return ids;
}

test('of a run that says much the last events are kept, with the numbers they had', () => {
  const ids = eventsOf(talkative('a', 100, 'x'.repeat(100_000)));
  assert.equal(ids.at(-1), 100);
  assert.ok(ids.length < 50, `${ids.length} are kept`);
  assert.deepEqual(
    ids,
    [...ids.keys()].map((index) => index + 101 - ids.length),
  );
  assert.equal(eventsOf(talkative('b', 100, 'x')).length, 100);
});

test('of many runs that are over the last ones are kept', () => {
  const runs = new Runs();
  for (let count = 0; count < 100; count += 1) {
    const run = talkative(`r${count}`, 20, 'x'.repeat(100_000));
    runs.add({ run, human: new RunHuman(run, 1000) });
    run.fail(new Error('over'));
  }
  assert.throws(() => runs.get('r0'), { status: 404 });
  assert.equal(runs.get('r99').run.status, 'failed');
});
