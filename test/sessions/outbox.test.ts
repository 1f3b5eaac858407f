/** The outbox: a reply is written down once, is sent by one process, and is never forgotten before it has an end. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Reply } from '../../src/sessions/chat-inbox.ts';
import { startTicks } from '../../src/sessions/process-identity.ts';
import { reply } from './chat-support.ts';
import { day, execute, manualClock, query, temporaryStore } from './support.ts';

const statesOf = (replies: readonly Reply[]): string[][] => replies.map(({ id, state }) => [id, state]);
/** Its process is gone. */
const orphan = 'UPDATE delivery_obligations SET owner_pid = 999999999, owner_started_at = 1';
const noStart = startTicks(process.pid) === undefined && 'this system does not say when a process started';

test('a reply is written down once, and reads back as it was written', async (t) => {
  const clock = manualClock();
  const { outbox } = await temporaryStore(t, { clock });
  assert.equal(await outbox.get('r'), undefined);
  await Promise.all([outbox.add(reply('r', { threadId: '5' })), outbox.add(reply('r', { content: 'other' }))]);
  await outbox.add(reply('r', { details: '{"other":true}' }));
  assert.deepEqual(await outbox.get('r'), {
    ...reply('r', { threadId: '5' }),
    state: 'pending',
    attempts: 0,
    partsSent: 0,
    unknown: 0,
    createdAt: clock.now(),
    nextAttemptAt: null,
    lastError: null,
  });
});

test('a reply goes from attempt to attempt until it is delivered, and is sent no more then', async (t) => {
  const { outbox } = await temporaryStore(t);
  await outbox.add(reply('r'));
  assert.equal(await outbox.begin('r'), true);
  assert.equal((await outbox.get('r'))?.state, 'attempting');
  await outbox.partSent('r', 2);
  await outbox.partSent('r', 1);
  await outbox.failed('r', { error: 'x'.repeat(499) + '😀', retryAt: 12_345 });
  assert.deepEqual(pick(await outbox.get('r')), ['failed', 1, 2, 12_345, `${'x'.repeat(499)}\ufffd`]);
  assert.equal(await outbox.begin('r', { again: true }), true);
  await outbox.delivered('r');
  assert.deepEqual(pick(await outbox.get('r')), ['delivered', 1, 2, null, null]);
  await outbox.failed('r', { error: 'too late', retryAt: 1 });
  await outbox.abandon('r', 'too late', [reply('notice')]);
  assert.equal(await outbox.get('notice'), undefined, 'who got it is not told that it was given up');
  assert.equal(await outbox.begin('r'), false);
  assert.equal((await outbox.get('r'))?.state, 'delivered');
  assert.equal(await outbox.begin('nobody wrote it'), false);
});

test('what is given up is abandoned with its reason, whoever is to know is told, and it is sent no more', async (t) => {
  const { outbox } = await temporaryStore(t);
  await outbox.add(reply('r'));
  await outbox.begin('r');
  await outbox.abandon('r', 'the chat has blocked the bot', [reply('notice')]);
  assert.deepEqual(pick(await outbox.get('r')), ['abandoned', 1, 0, null, 'the chat has blocked the bot']);
  assert.equal(await outbox.begin('r'), false);
  assert.deepEqual(statesOf(await outbox.claimOpen(['telegram'])), [['notice', 'pending']]);
});

test('a start takes over what a process that is gone left open, oldest first', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { outbox } = store;
  for (const id of ['attempting', 'failed', 'pending', 'sent', 'elsewhere']) {
    await outbox.add(reply(id, { platform: id === 'elsewhere' ? 'discord' : 'telegram' }));
    clock.advance(10);
  }
  await outbox.begin('attempting');
  await outbox.partSent('attempting', 3);
  await outbox.begin('failed');
  await outbox.failed('failed', { error: 'later', retryAt: clock.now() });
  await outbox.delivered('sent');
  execute(store.path, orphan);
  const later = await temporaryStore(t, { path: store.path, clock });
  const claimed = await later.outbox.claimOpen(['telegram', 'slack']);
  assert.deepEqual(statesOf(claimed), [
    ['attempting', 'failed'],
    ['failed', 'failed'],
    ['pending', 'pending'],
  ]);
  assert.deepEqual(
    claimed.map(({ unknown }) => unknown),
    [1, 0, 0],
  );
  assert.deepEqual([claimed[0]?.partsSent, claimed[0]?.attempts, claimed[0]?.details], [3, 1, '{"to":"attempting"}']);
  assert.deepEqual(
    query(store.path, 'SELECT obligation_id AS id FROM delivery_obligations WHERE owner_pid = ?', process.pid),
    ['attempting', 'failed', 'pending'].map((id) => Object.assign(Object.create(null), { id })),
  );
});

test('what may have arrived is counted until it is known, over starts and failures', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { outbox } = store;
  await outbox.add(reply('r'));
  await outbox.begin('r');
  const seen = async () => {
    const [found] = await outbox.claimOpen(['telegram']);
    return [found?.state, found?.attempts, found?.unknown];
  };
  assert.deepEqual(await seen(), ['failed', 1, 1]);
  assert.deepEqual(await seen(), ['failed', 1, 1], 'a start that dies before it sends changes nothing');
  await outbox.begin('r');
  await outbox.failed('r', { error: 'the line was cut', retryAt: clock.now(), unknown: true });
  assert.deepEqual(await seen(), ['failed', 2, 2]);
  await outbox.partSent('r', 1);
  assert.deepEqual(await seen(), ['failed', 1, 0]);
});

test('what another process that lives is sending stays with it', { skip: noStart }, async (t) => {
  const store = await temporaryStore(t);
  const { outbox } = store;
  await outbox.add(reply('r'));
  const parent = process.ppid;
  execute(
    store.path,
    `UPDATE delivery_obligations SET owner_pid = ${parent}, owner_started_at = ${startTicks(parent)}`,
  );
  assert.deepEqual(await outbox.claimOpen(['telegram']), []);
  assert.equal(await outbox.begin('r'), false);
  execute(store.path, 'UPDATE delivery_obligations SET owner_started_at = owner_started_at + 1');
  assert.deepEqual(
    statesOf(await outbox.claimOpen(['telegram'])),
    [['r', 'pending']],
    'another process has its id now',
  );
});

test('rows of the original are taken over, without what it does not keep', async (t) => {
  const store = await temporaryStore(t);
  await store.outbox.add(reply('ours'));
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  execute(
    store.path,
    `INSERT INTO delivery_obligations (obligation_id, session_key, platform, chat_id, content, state, attempts, created_at,
       updated_at, owner_pid) VALUES ('theirs', 'k', 'telegram', '9', 'their answer', 'attempting', 1,
       unixepoch('subsec') - 60, unixepoch('subsec'), ${gone})`,
  );
  const [theirs] = await store.outbox.claimOpen(['telegram']);
  assert.deepEqual(
    [theirs?.id, theirs?.content, theirs?.state, theirs?.details, theirs?.partsSent, theirs?.threadId],
    ['theirs', 'their answer', 'failed', '{}', 0, null],
  );
  assert.equal(theirs?.unknown, 1);
  await store.outbox.begin('theirs');
  await store.outbox.partSent('theirs', 1);
  await store.outbox.failed('theirs', { error: 'no', retryAt: 5 });
  assert.deepEqual(pick(await store.outbox.get('theirs')), ['failed', 1, 1, 5, 'no']);
});

test('what has an end is kept 7 days and at most 500 of it; what is open stays', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { outbox } = store;
  await outbox.add(reply('open'));
  const count = (table: string): number => Number(query(store.path, `SELECT count(*) AS n FROM ${table}`)[0]?.['n']);
  const names = Array.from({ length: 730 }, (_, index) => `r${index}`);
  for (const name of names) {
    const added = outbox.add(reply(name));
    clock.advance(1);
    await Promise.all([added, outbox.delivered(name)]);
    assert.ok(count('delivery_obligations') <= 501);
  }
  assert.ok(count('delivery_obligations') > 400);
  assert.equal((await outbox.get('r729'))?.state, 'delivered', 'the newest are kept');
  clock.advance(8 * day);
  const later = await temporaryStore(t, { path: store.path, clock });
  await later.outbox.add(reply('last'));
  await later.outbox.delivered('last');
  assert.deepEqual([count('delivery_obligations'), count('gateway_outbox')], [2, 2]);
  assert.equal((await outbox.get('open'))?.state, 'pending');
});

test('the table is the one that the original makes', async (t) => {
  const store = await temporaryStore(t);
  await store.outbox.add(reply('r'));
  const columns = query(
    store.path,
    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
    'delivery_obligations',
  );
  const schema = JSON.parse(readFileSync(new URL('./schema-0.19.json', import.meta.url), 'utf8')) as OriginalSchema;
  assert.deepEqual(
    columns.map((column) => ({ ...column })),
    schema.tables.delivery_obligations.columns.map((column) => ({
      name: column.name,
      type: column.type,
      notnull: column.notnull === true ? 1 : 0,
      dflt_value: column.default ?? null,
      pk: column.pk ?? 0,
    })),
  );
});

interface OriginalSchema {
  readonly tables: { readonly delivery_obligations: { readonly columns: readonly OriginalColumn[] } };
}

interface OriginalColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull?: boolean;
  readonly default?: string;
  readonly pk?: number;
}

function pick(found: Reply | undefined): unknown[] {
  return [found?.state, found?.attempts, found?.partsSent, found?.nextAttemptAt, found?.lastError];
}
