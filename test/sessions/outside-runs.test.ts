/** A file that changed while a command from outside ran carries it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Source } from '../../src/llm/source.ts';
import { execute, manualClock, query, temporaryStore } from './support.ts';

const curl: Source = { from: 'program', name: 'curl' };

test('a change while a run was under way is known by its source, give or take two seconds', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const began = clock.now();
  assert.equal(await store.outsideRuns.during(began), undefined);
  const run = await store.outsideRuns.begin(curl);
  assert.deepEqual(await store.outsideRuns.during(began + 3_600_000), curl, 'it still runs');
  clock.advance(60_000);
  await store.outsideRuns.end(run);
  clock.advance(3_600_000);
  for (const offset of [-1900, 0, 30_000, 61_900])
    assert.deepEqual(await store.outsideRuns.during(began + offset), curl);
  for (const offset of [-2100, 62_100, 3_600_000]) {
    assert.equal(await store.outsideRuns.during(began + offset), undefined, `${offset}`);
  }
});

test('a run of hours is found in its middle', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const run = await store.outsideRuns.begin(curl);
  clock.advance(5 * 3_600_000);
  await store.outsideRuns.end(run);
  assert.deepEqual(await store.outsideRuns.during(clock.now() - 2 * 3_600_000), curl);
});

test('runs of one source that follow each other are one window, those of another are not', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  for (const source of [curl, curl, { from: 'program', name: 'git' }, curl] as const) {
    const run = await store.outsideRuns.begin(source);
    clock.advance(1000);
    await store.outsideRuns.end(run);
    await store.outsideRuns.end(run);
    clock.advance(1000);
  }
  assert.equal(query(store.path, 'SELECT * FROM outside_runs').length, 2);
});

test('a run whose process is dead ends when the next one begins', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.outsideRuns.begin(curl);
  query(store.path, 'UPDATE outside_runs SET pid = 999999999');
  clock.advance(1000);
  await store.outsideRuns.end(await store.outsideRuns.begin({ from: 'program', name: 'git' }));
  assert.equal(await store.outsideRuns.during(clock.now() + 10_000), undefined);
  assert.notEqual(await store.outsideRuns.during(clock.now()), undefined);
});

test('of many thousands of runs no more than 5,000 rows stay, none is forgotten, and a lookup takes 0.1 ms', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const began = clock.now();
  await store.outsideRuns.end(await store.outsideRuns.begin(curl));
  execute(
    store.path,
    `INSERT INTO outside_runs (started, ended, source, host, pid)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
     SELECT ${began / 1000} + i * 100, ${began / 1000} + i * 100 + 10, '{"sources":[{"from":"program","name":"p' || i || '"}]}', '', 0 FROM n`,
  );
  clock.advance(6001 * 100_000);
  for (let run = 0; run < 3; run += 1) {
    await store.outsideRuns.end(await store.outsideRuns.begin({ from: 'program', name: `later ${run}` }));
    clock.advance(100_000);
  }
  const rows = query<{ n: number }>(store.path, 'SELECT count(*) AS n FROM outside_runs');
  assert.ok((rows[0]?.n ?? 0) <= 5000);
  assert.deepEqual(await store.outsideRuns.during(began + 5000 * 100_000), { from: 'program', name: 'p5000' });
  assert.deepEqual(await store.outsideRuns.during(began), { from: 'unknown' });
  assert.deepEqual(await store.outsideRuns.during(began + 150_000), { from: 'unknown' });
  assert.equal(await store.outsideRuns.during(began + 5000 * 100_000 + 50_000), undefined);
  const batches: number[] = [];
  for (let batch = 0; batch < 10; batch += 1) {
    const startedAt = performance.now();
    for (let index = 0; index < 100; index += 1) {
      await store.outsideRuns.during(began + index * 5_900_000 + 50_000);
    }
    batches.push((performance.now() - startedAt) / 100);
  }
  assert.ok(Math.min(...batches) < 0.1, `took ${batches.join(', ')} ms`);
});
