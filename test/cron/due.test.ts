/** When a job is due, and that nobody takes an occurrence twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterRun, lookAt } from '../../src/cron/due.ts';
import type { Job } from '../../src/cron/job.ts';
import { setUp } from './support.ts';
import { Executions } from '../../src/cron/executions.ts';

type Home = ReturnType<typeof setUp>;

/** What one tick would run. */
async function tick({ store, clock }: Home): Promise<Job[]> {
  const taken: Job[] = [];
  await store.changeAll((job) => {
    const look = lookAt(job, { ...clock, by: 'host:1', claimMs: 1_800_000 });
    if (look.as === 'over') return 'remove';
    if (look.as === 'due') taken.push(job);
    return look.patch;
  });
  return taken;
}

async function finish({ store, clock }: Home, id: string): Promise<void> {
  await store.change(id, (job) => afterRun(job, { ok: true }, clock));
}

test('however many slots were missed, there is one run, and the next one is to come', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  assert.deepEqual(await tick(home), []);
  home.minutes(20 * 60 + 5);
  assert.deepEqual(
    (await tick(home)).map((job) => job.id),
    [id],
  );
  assert.equal(home.store.get(id)?.next_run_at, '2026-07-21T07:35:00+00:00');
  assert.deepEqual(await tick(home), []);
  await finish(home, id);
  const { last_status: status, repeat } = home.store.get(id) ?? {};
  assert.deepEqual([status, repeat], ['ok', { times: null, completed: 1 }]);
});

test('a one-shot is taken once, even when nobody lives to finish it', async (t) => {
  const home = setUp(t);
  await home.desk.create({ schedule: '30m', prompt: 'x' }, undefined);
  home.minutes(31);
  assert.equal((await tick(home)).length, 1);
  assert.deepEqual(await tick(home), []);
  home.minutes(60);
  assert.deepEqual(await tick(home), []);
  assert.deepEqual(home.store.list(), []);
});

test('a one-shot whose time passed while nobody looked is run when somebody does', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: '30m', prompt: 'x' }, undefined);
  home.minutes(3 * 60);
  assert.deepEqual(
    (await tick(home)).map((job) => job.id),
    [id],
  );
});

test('a one-shot that has run is kept as a completed one', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: '30m', prompt: 'x' }, undefined);
  home.minutes(30);
  await tick(home);
  await finish(home, id);
  const job = home.store.get(id);
  assert.deepEqual([job?.state, job?.enabled, job?.next_run_at, job?.run_claim], ['completed', false, null, undefined]);
});

test('a job that is to run twice runs twice', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 10m', prompt: 'x', repeat: 2 }, undefined);
  for (const state of ['scheduled', 'completed']) {
    home.minutes(10);
    assert.equal((await tick(home)).length, 1);
    await finish(home, id);
    assert.equal(home.store.get(id)?.state, state);
  }
});

test('times that cannot be read are computed anew', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  await home.store.change(id, () => ({ next_run_at: 'soon', last_run_at: 'x' }));
  assert.deepEqual(await tick(home), []);
  assert.equal(home.store.get(id)?.next_run_at, '2026-07-20T11:30:00+00:00');
});

test('after the clock was set back, an interval does not wait for what it was set to before', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  home.minutes(-30 * 24 * 60);
  assert.deepEqual(await tick(home), []);
  assert.equal(home.store.get(id)?.next_run_at, '2026-06-20T11:30:00+00:00');
});

test('a time of another zone whose hour is still to come is not fired', async (t) => {
  const home = setUp(t, { zone: 'Asia/Kolkata' });
  const { id } = await home.desk.create({ schedule: '0 17 * * *', prompt: 'x' }, undefined);
  assert.equal(home.store.get(id)?.next_run_at, '2026-07-20T17:00:00+05:30');
  home.clock.zone = 'UTC';
  home.minutes(60 + 10);
  assert.deepEqual(await tick(home), []);
  assert.equal(home.store.get(id)?.next_run_at, '2026-07-20T17:00:00+00:00');
});

test('a schedule that is none is said in the job, and the others run', async (t) => {
  const home = setUp(t);
  const bad = await home.desk.create({ schedule: 'every 1h', prompt: 'bad' }, undefined);
  const good = await home.desk.create({ schedule: 'every 1h', prompt: 'good' }, undefined);
  await home.store.change(bad.id, () => ({ schedule: { kind: 'cron', expr: '99 * * * *' } }));
  home.minutes(61);
  assert.deepEqual(
    (await tick(home)).map(({ id }) => id),
    [good.id],
  );
  assert.deepEqual([home.store.get(bad.id)?.state, home.store.get(bad.id)?.enabled], ['error', true]);
});

test('a job that was removed while it ran does not come back', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  home.minutes(61);
  await tick(home);
  await home.desk.remove(id);
  await finish(home, id);
  assert.deepEqual(home.store.list(), []);
});

test('a job that somebody is just starting is not taken by others, by hand or by the tick', async (t) => {
  const home = setUp(t);
  const { id } = await home.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  const claimant = { ...home.clock, by: 'a:1', claimMs: 1_800_000 };
  assert.equal((await home.desk.claim(id, claimant))?.id, id);
  assert.equal(await home.desk.claim(id, claimant), undefined);
  home.minutes(4);
  await home.store.change(id, () => ({ next_run_at: '2026-07-20T10:31:00+00:00' }));
  assert.deepEqual(await tick(home), []);
  home.minutes(2);
  assert.equal((await tick(home)).length, 1);
});

test('each attempt has a row, with how it ended', (t) => {
  const { homePath } = setUp(t);
  const ledger = new Executions(homePath);
  t.after(() => ledger.close());
  const runner = { processId: 'p', pid: 1, startedAt: 2 };
  const at = (second: number) => `2026-07-20T10:30:0${second}+00:00`;
  const [done, failed, lost] = [1, 2, 3].map((second) => ledger.claim('job', 'builtin', runner, at(second)));
  for (const id of [done, failed, lost]) ledger.begin(id ?? '', at(4));
  ledger.finish(done ?? '', at(5), undefined);
  ledger.finish(failed ?? '', at(5), 'no');
  assert.deepEqual(
    ledger.open().map(({ id }) => id),
    [lost],
  );
  assert.equal(ledger.giveUp(lost ?? '', at(6), 'died'), true);
  assert.equal(ledger.giveUp(lost ?? '', at(6), 'died'), false);
  assert.deepEqual(
    ledger.list({ limit: 10 }).map(({ status, error }) => [status, error]),
    [
      ['unknown', 'died'],
      ['failed', 'no'],
      ['completed', null],
    ],
  );
  assert.equal(ledger.list({ jobId: 'other', limit: 10 }).length, 0);
});
