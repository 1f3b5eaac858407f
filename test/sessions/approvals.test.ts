/** Questions in the store: each takes one answer, from whom it was asked of, where it was asked, for the same bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalAnswer, ApprovalQuestion } from '../../src/sessions/approval-records.ts';
import { execute, manualClock, query, temporaryStore } from './support.ts';

const question: ApprovalQuestion = {
  sessionId: 's',
  callId: 'call_1',
  surface: 'telegram',
  person: 'ann',
  digest: 'a'.repeat(64),
  tool: 'terminal',
  shown: 'rm -r src',
  findings: ['recursive delete'],
  sources: [],
};

const notGood: readonly (readonly [string, Partial<ApprovalAnswer>])[] = [
  ['another question', { id: 'other' }],
  ['another session', { sessionId: 't' }],
  ['another place', { surface: 'discord' }],
  ['another person', { person: 'eve' }],
  ['nobody', { person: null }],
  ['other bytes', { digest: 'b'.repeat(64) }],
];

for (const [whose, change] of notGood) {
  test(`an answer of or for ${whose} is not good`, async (t) => {
    const store = await temporaryStore(t);
    const id = await store.approvals.ask(question);
    assert.equal(await store.approvals.answer({ ...question, id, choice: 'once', ...change }), false);
    assert.equal(await store.approvals.answer({ ...question, id, choice: 'once' }), true);
  });
}

test('an answer is good once', async (t) => {
  const store = await temporaryStore(t);
  const id = await store.approvals.ask(question);
  assert.equal(await store.approvals.answer({ ...question, id, choice: 'deny' }), true);
  assert.equal(await store.approvals.answer({ ...question, id, choice: 'always' }), false);
});

test('a question of a process that is gone is lost once, and takes no answer any more', async (t) => {
  const store = await temporaryStore(t);
  const id = await store.approvals.ask(question);
  assert.deepEqual(await store.approvals.settleLost('s'), [], 'this process lives');
  execute(store.path, 'UPDATE approval_requests SET pid = 999999999');
  assert.deepEqual(
    (await store.approvals.settleLost('s')).map(({ callId, shown }) => [callId, shown]),
    [['call_1', 'rm -r src']],
  );
  assert.deepEqual(await store.approvals.settleLost('s'), []);
  assert.equal(await store.approvals.answer({ ...question, id, choice: 'once' }), false);
});

test('a process of another machine counts as there as long as it holds the session', async (t) => {
  const store = await temporaryStore(t);
  await store.approvals.ask(question);
  await store.leases.take('s', 'gateway', { ttlMs: 60_000 });
  execute(
    store.path,
    "UPDATE approval_requests SET host = 'elsewhere'; UPDATE session_leases SET host = 'elsewhere', pid = 999999999",
  );
  assert.equal((await store.approvals.settleLost('s')).length, 0);
  execute(store.path, 'UPDATE session_leases SET holder = NULL');
  assert.equal((await store.approvals.settleLost('s')).length, 1);
});

test('settled questions are forgotten after 90 days, open ones are not, and all go with their session', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 's', source: 'cli' });
  const settled = await store.approvals.ask(question);
  await store.approvals.answer({ ...question, id: settled, choice: 'once' });
  const open = await store.approvals.ask(question);
  clock.advance(91 * 24 * 3600 * 1000);
  const newest = await store.approvals.ask(question);
  const ids = (): unknown[] =>
    query<{ id: string }>(store.path, 'SELECT id FROM approval_requests').map(({ id }) => id);
  assert.deepEqual(new Set(ids()), new Set([open, newest]));
  await store.maintenance.deleteSession('s');
  assert.deepEqual(ids(), []);
});
