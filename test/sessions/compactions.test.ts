/** Who may shorten a conversation, and what everybody is told of a summary that failed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ownProcess } from '../../src/sessions/process-identity.ts';
import { execute, manualClock, query, temporaryStore, user } from './support.ts';

const minutes = 60_000;

test('one at a time may shorten a session; a claim that is not renewed is taken over when it has expired', async (t) => {
  const clock = manualClock();
  const { compactions, path } = await temporaryStore(t, { clock });
  assert.equal(await compactions.claim('s', 'one', 5 * minutes), true);
  assert.equal(await compactions.claim('s', 'two', 5 * minutes), false);
  assert.equal(await compactions.claim('other', 'two', 5 * minutes), true);
  clock.advance(4 * minutes);
  assert.equal(await compactions.renew('s', 'one', 5 * minutes), true);
  clock.advance(4 * minutes);
  assert.equal(await compactions.claim('s', 'two', 5 * minutes), false, 'it was renewed');
  clock.advance(minutes);
  assert.equal(await compactions.claim('s', 'two', 5 * minutes), true);
  assert.equal(await compactions.renew('s', 'one', 5 * minutes), false);
  await compactions.release('s', 'one');
  assert.equal(query(path, "SELECT 1 FROM compression_locks WHERE session_id = 's'").length, 1, 'it is not theirs');
  await compactions.release('s', 'two');
  assert.equal(query(path, "SELECT 1 FROM compression_locks WHERE session_id = 's'").length, 0);
});

test('a claim of a process of this program that was killed holds nothing, one of the original holds until it expires', async (t) => {
  const { compactions, path } = await temporaryStore(t);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  assert.equal(await compactions.claim('s', JSON.stringify({ ...ownProcess(), pid, id: 'a' }), 5 * minutes), true);
  assert.equal(await compactions.claim('s', 'two', 5 * minutes), true);
  const expires = Date.now() / 1000 + 200;
  execute(path, `INSERT INTO compression_locks VALUES ('t', 'pid:${pid}', ${expires - 300}, ${expires})`);
  assert.equal(await compactions.claim('t', 'two', 5 * minutes), false);
});

test('a compaction is not stored when somebody else has the session by then', async (t) => {
  const clock = manualClock();
  const { sessions, messages, compactions } = await temporaryStore(t, { clock });
  await sessions.create({ id: 's', source: 'cli' });
  await messages.append('s', user('hello'));
  await compactions.claim('s', 'one', minutes);
  clock.advance(2 * minutes);
  await compactions.claim('s', 'two', minutes);
  const compacted = { messages: [user('short')], systemPrompt: '' };
  await assert.rejects(messages.compact('s', compacted, { compactionHolder: 'one' }), /Another program is shortening/);
  assert.deepEqual(await messages.conversation('s'), [user('hello')]);
  await messages.compact('s', compacted, { compactionHolder: 'two' });
  assert.deepEqual(await messages.conversation('s'), [user('short')]);
});
