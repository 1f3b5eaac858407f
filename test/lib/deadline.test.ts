/** A limit in time that leaves nothing behind when what it was for has ended. */
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { test } from 'node:test';
import { startDeadline } from '../../src/lib/deadline.ts';

test('a deadline aborts when its time is over, and says that it was the time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deadline = startDeadline(50);
  const aborted = once(deadline.signal, 'abort');
  t.mock.timers.tick(50);
  await aborted;
  assert.equal(deadline.passed, true);
  assert.equal((deadline.signal.reason as Error).name, 'TimeoutError');
});

test('a deadline aborts with the signal that it was given, for its reason, also when that had aborted before', () => {
  const given = new AbortController();
  const reason = new Error('enough');
  const deadline = startDeadline(1000, given.signal);
  given.abort(reason);
  for (const { signal, passed } of [deadline, startDeadline(1000, given.signal)]) {
    assert.equal(signal.reason, reason);
    assert.equal(passed, false);
  }
});

test('what has ended in time leaves no timer and no listener', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const given = new AbortController();
  const deadline = startDeadline(50, given.signal);
  assert.equal(getEventListeners(given.signal, 'abort').length, 1);
  deadline[Symbol.dispose]();
  assert.equal(getEventListeners(given.signal, 'abort').length, 0);
  t.mock.timers.tick(100);
  assert.equal(deadline.signal.aborted, false);
});
