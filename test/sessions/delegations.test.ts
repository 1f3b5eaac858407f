/** Work of sub-agents in the background is written down: its end is known, and told once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, manualClock, query, temporaryStore } from './support.ts';

const begun = (id: string, parentSessionId = 's1') => ({
  id,
  originSession: 'telegram:1',
  parentSessionId,
  dispatchedAt: 100,
  task: { goal: 'look', goals: ['look'], context: null, role: 'leaf', model: 'm', is_batch: false },
});
const ended = (summary: string) => ({
  state: 'completed',
  completedAt: 200,
  event: { type: 'async_delegation', summary },
  result: { results: [] },
});
const someoneDead = JSON.stringify({ host: 'HOST', pid: 999_999_999, start: null });

/** The owner of all rows is a process of this machine that is gone. */
function killOwners(path: string): void {
  execute(
    path,
    "UPDATE async_delegations SET owner_pid = 999999999, task_json = json_set(task_json, '$.owner.pid', 999999999)",
  );
}

test('what ended is claimed by one, and delivered once', async (t) => {
  const store = await temporaryStore(t, { clock: manualClock() });
  const { delegations } = store;
  assert.deepEqual(await delegations.waiting(), []);
  await delegations.begin(begun('deleg_1'));
  assert.deepEqual(await delegations.claim(['s1'], 'cli'), [], 'it has not ended');
  await delegations.finish('deleg_1', ended('done'));
  await delegations.finish('deleg_1', ended('done twice'));
  assert.deepEqual(await delegations.waiting(), [
    { id: 'deleg_1', originSession: 'telegram:1', parentSessionId: 's1' },
  ]);
  assert.deepEqual(await delegations.claim(['other'], 'cli'), [], 'it is for another conversation');
  const [claimed] = await delegations.claim(['s1'], 'cli');
  assert.deepEqual([claimed?.id, claimed?.event['summary'], claimed?.again], ['deleg_1', 'done', false]);
  assert.deepEqual(await delegations.claim(['s1'], 'gateway'), []);
  await delegations.release('deleg_1', claimed?.claim ?? '');
  const [again] = await delegations.claim(['s1'], 'gateway');
  assert.equal(again?.again, true);
  assert.equal(await delegations.delivered('deleg_1', claimed?.claim ?? ''), false, 'that claim was given back');
  assert.equal(await delegations.delivered('deleg_1', again?.claim ?? ''), true);
  assert.deepEqual(await delegations.waiting(), []);
});

test('a row is as the original writes it', async (t) => {
  const store = await temporaryStore(t, { clock: manualClock() });
  await store.delegations.begin(begun('deleg_1'));
  await store.delegations.finish('deleg_1', ended('done'));
  const [row] = query(store.path, 'SELECT * FROM async_delegations');
  const { state, delivery_state, delivery_attempts, owner_pid, origin_session, parent_session_id } = row ?? {};
  assert.deepEqual(
    { state, delivery_state, delivery_attempts, owner_pid, origin_session, parent_session_id },
    {
      state: 'completed',
      delivery_state: 'pending',
      delivery_attempts: 0,
      owner_pid: process.pid,
      origin_session: 'telegram:1',
      parent_session_id: 's1',
    },
  );
});

test('what a dead process was at has an unknown outcome, and a living one is left alone', async (t) => {
  const store = await temporaryStore(t, { clock: manualClock() });
  await store.delegations.begin(begun('deleg_1'));
  assert.deepEqual(await store.delegations.waiting(), []);
  killOwners(store.path);
  const [claimed] = await store.delegations.claim(['s1'], 'cli');
  assert.equal(claimed?.event['status'], 'unknown');
  assert.equal(claimed?.event['goal'], 'look');
  assert.equal(claimed?.event['owner'], undefined);
  await store.delegations.finish('deleg_1', ended('late'));
  assert.equal(query(store.path, 'SELECT state FROM async_delegations')[0]?.['state'], 'unknown');
});

test('a row of the original, whose process is gone, is closed as well', async (t) => {
  const store = await temporaryStore(t, { clock: manualClock() });
  execute(
    store.path,
    `INSERT INTO async_delegations (delegation_id, origin_session, parent_session_id, state, dispatched_at, updated_at,
       owner_pid, owner_started_at, task_json) VALUES ('deleg_o', 's1', 's1', 'running', 1, 1, 999999999, 5, '{"goal":"g"}')`,
  );
  const [claimed] = await store.delegations.claim(['s1'], 'cli');
  assert.equal(claimed?.event['error'] === undefined, false);
});

test('a claim is void when its process has died, or after five minutes', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { delegations } = store;
  await delegations.begin(begun('deleg_1'));
  await delegations.finish('deleg_1', ended('done'));
  const [first] = await delegations.claim(['s1'], 'cli');
  const host: unknown = JSON.parse(first?.claim.slice(first.claim.indexOf(' ') + 1) ?? '{}');
  assert.ok(typeof host === 'object' && host !== null && 'host' in host);
  execute(
    store.path,
    `UPDATE async_delegations SET delivery_claim = 'cli:1:x ${someoneDead.replace('HOST', String(host.host))}'`,
  );
  assert.equal((await delegations.claim(['s1'], 'cli')).length, 1);
  assert.equal((await delegations.claim(['s1'], 'cli')).length, 0);
  clock.advance(301_000);
  assert.equal((await delegations.claim(['s1'], 'cli')).length, 1);
});

test('delivered ones are forgotten, what waits is not', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { delegations } = store;
  for (let n = 0; n < 60; n += 1) {
    await delegations.begin(begun(`deleg_${n}`, n === 0 ? 'waits' : 's1'));
    await delegations.finish(`deleg_${n}`, ended('done'));
    clock.advance(1000);
    if (n === 0) continue;
    for (const { id, claim } of await delegations.claim(['s1'], 'cli')) await delegations.delivered(id, claim);
  }
  await delegations.begin(begun('last'));
  const count = (): unknown => query(store.path, 'SELECT count(*) AS n FROM async_delegations')[0]?.['n'];
  assert.equal(count(), 52);
  clock.advance(8 * 86_400_000);
  await delegations.begin(begun('later'));
  assert.equal(count(), 3);
  assert.equal((await delegations.waiting())[0]?.id, 'deleg_0');
});
