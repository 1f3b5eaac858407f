/** Webhooks that were accepted: none is lost, and none that is repeated is new. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock, temporaryStore } from './support.ts';

const hour = 3_600_000;
const webhook = { route: 'r', deliveryId: 'd', job: '{}' };

test('a delivery is accepted once in an hour, on each route by itself', async (t) => {
  const clock = manualClock();
  const { webhooks } = await temporaryStore(t, { clock });
  assert.equal(await webhooks.isKnown(webhook), false);
  const first = await webhooks.accept(webhook);
  assert.ok(first !== undefined);
  assert.equal(await webhooks.accept(webhook), undefined);
  assert.ok((await webhooks.accept({ ...webhook, route: 'other' })) !== undefined);
  await webhooks.end(first);
  assert.equal(await webhooks.isKnown(webhook), true);
  clock.advance(hour - 1);
  assert.equal(await webhooks.accept(webhook), undefined);
  clock.advance(1);
  assert.ok((await webhooks.accept(webhook)) !== undefined);
});

test('one that is open stays a duplicate, and one that was forgotten is new', async (t) => {
  const clock = manualClock();
  const { webhooks } = await temporaryStore(t, { clock });
  const first = await webhooks.accept(webhook);
  assert.ok(first !== undefined);
  clock.advance(2 * hour);
  assert.equal(await webhooks.accept(webhook), undefined);
  await webhooks.forget(first);
  assert.ok((await webhooks.accept(webhook)) !== undefined);
});

test('what is open is there at the next start, with how far it came', async (t) => {
  const { webhooks } = await temporaryStore(t);
  const [waiting, running, answered, ended] = await Promise.all(
    ['a', 'b', 'c', 'd'].map((deliveryId) => webhooks.accept({ ...webhook, deliveryId })),
  );
  assert.ok(waiting !== undefined && running !== undefined && answered !== undefined && ended !== undefined);
  for (const id of [running, answered]) await webhooks.begin(id, 's');
  await webhooks.answered(answered, 'hello');
  await webhooks.end(ended);
  const shown = (await webhooks.open()).map(({ deliveryId, state, attempts, sessionId, answer }) => [
    deliveryId,
    state,
    attempts,
    sessionId,
    answer,
  ]);
  assert.deepEqual(shown, [
    ['a', 'waiting', 0, null, null],
    ['b', 'running', 1, 's', null],
    ['c', 'answered', 1, 's', 'hello'],
  ]);
});
