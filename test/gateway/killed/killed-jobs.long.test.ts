/** A whole gateway that is killed while scheduled jobs run: each is told once, and what it does happens once. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { OutsideJobs } from './outside-jobs.ts';
import { OutsideWorld, type Running } from './outside-world.ts';

const noStrace = spawnSync('strace', ['-V']).status !== 0 && 'no strace';
/** Only against a gateway that hangs. */
const limits = { timeout: 1_800_000 };

test('killed again and again in the middle of jobs, a gateway tells of each of them once', limits, async (t) => {
  await using world = await OutsideWorld.open(t);
  const jobs = new OutsideJobs(world);
  for (let kill = 0; kill < 12; kill += 2) {
    for (const what of ['do', 'say', 'do']) await jobs.make(what);
    const running = world.start();
    // Three jobs make about twelve happenings.
    let left = kill;
    world.onHappening = () => void (left -= 1);
    await until(running, () => left <= 0 || jobs.verdict.untold.length === 0);
    running.kill();
    await running.ended;
  }
  await jobs.finish(t.signal);
  assertKept(jobs);
  assert.deepEqual(world.model.violations, []);
});

test('killed at every flush while it finds out what a job was in, it keeps the same', {
  ...limits,
  skip: noStrace,
}, async (t) => {
  await using world = await OutsideWorld.open(t);
  const jobs = new OutsideJobs(world);
  let kills = 0;
  for (;;) {
    await jobs.make('do');
    const asked = world.model.requests.length;
    const first = world.start();
    // What the last one was killed in is told: what is cut off twice while it is sent is given up.
    await until(first, () => jobs.verdict.untold.length <= 1 && world.model.requests.length > asked);
    first.kill();
    await first.ended;
    const inject = `inject=fsync,fdatasync:signal=SIGKILL:when=${kills + 1}`;
    const second = world.start(['strace', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-e', inject]);
    const ending = await jobs.toldAll(second, t.signal);
    if (ending === 0) break;
    assert.equal(ending, 'SIGKILL', world.output);
    kills += 1;
  }
  await jobs.finish(t.signal);
  const { answered, failed } = jobs.verdict;
  t.diagnostic(`${kills} kills, ${answered.length} answered, ${failed.length} told as cut off`);
  assertKept(jobs);
  assert.ok(kills > 5);
});

function assertKept(jobs: OutsideJobs): void {
  const { untold, doubled, repeated } = jobs.verdict;
  assert.deepEqual({ untold, doubled, repeated }, { untold: [], doubled: [], repeated: [] });
}

/** Resolves when it is so, or the gateway has ended. */
async function until(running: Running, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = setInterval(() => {
    if (isSo()) resolve();
  }, 20);
  await Promise.race([promise, running.ended]);
  clearInterval(look);
}
