/** Jobs that are due run, once, and what they bring is kept and delivered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobChats } from '../../../src/automation/cron/job-chats.ts';
import { Scheduler } from '../../../src/automation/cron/scheduler.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { fromTelegram, startScheduler } from './support.ts';

test('a job that is due asks the model, keeps a document and brings the answer to its chat', async (t) => {
  const { desk, model, chats, after, output, store, program, rows } = await startScheduler(t);
  model.enqueue({ text: 'Rain at noon.' });
  const { id } = await desk.create(
    { schedule: 'every 2h', prompt: 'how is the weather?', name: 'Weather' },
    fromTelegram,
  );
  assert.equal(await after(60), 0);
  assert.equal(await after(61), 1);
  assert.deepEqual(
    chats.sent.map(({ to }) => to),
    [{ platform: 'telegram', chatId: '77', threadId: null }],
  );
  const [text = ''] = chats.texts;
  assert.deepEqual(text.split('\n').slice(0, 5), [
    'Cronjob Response: Weather',
    `(job_id: ${id})`,
    '-------------',
    '',
    'Rain at noon.',
  ]);
  assert.match(
    output(id) ?? '',
    /^# Cron Job: Weather\n\n\*\*Job ID:\*\*.*\n.*\n\*\*Schedule:\*\* every 120m\n[^]*## Response\n\nRain at noon\.\n$/,
  );
  const job = store.get(id);
  assert.deepEqual([job?.last_status, job?.last_error, job?.repeat.completed], ['ok', null, 1]);
  assert.equal(job?.next_run_at, '2026-07-20T14:31:00+00:00');
  assert.deepEqual(
    rows().map(({ status, source }) => [status, source]),
    [['completed', 'builtin']],
  );
  const row = await program.store?.sessions.resolve(`cron_${id}_20260720_123100`);
  assert.deepEqual([row?.source, row?.title, row?.end_reason], ['cron', 'Weather · Jul 20 12:31', 'cron_complete']);
  assert.deepEqual(model.violations, []);
});

test('without the wrapper the chat gets the answer byte for byte', async (t) => {
  const { desk, model, chats, after } = await startScheduler(t, { config: 'cron:\n  wrap_response: false\n' });
  model.enqueue({ text: 'Just **this**.' });
  await desk.create({ schedule: '30m', prompt: 'x' }, fromTelegram);
  await after(30);
  assert.deepEqual(chats.texts, ['Just **this**.']);
});

test('an answer that says that there is nothing to say is kept and not sent', async (t) => {
  const { desk, model, chats, after, output } = await startScheduler(t);
  for (const text of ['[SILENT]', 'Nothing.\n[SILENT]', 'no reply', 'The word [SILENT] is used']) {
    model.enqueue({ text });
    const { id } = await desk.create({ schedule: '30m', prompt: 'x' }, fromTelegram);
    await after(30);
    assert.match(output(id) ?? '', new RegExp(text.replaceAll(/[[\]]/g, String.raw`\$&`)));
  }
  assert.equal(chats.sent.length, 1);
  assert.match(chats.texts[0] ?? '', /The word/);
});

test('a run that fails says so in one line, whatever the answer was to be', async (t) => {
  const { desk, model, chats, after, store, rows } = await startScheduler(t);
  model.enqueue({ fault: 'status', status: 401 });
  const { id } = await desk.create({ schedule: '30m', prompt: 'x', name: 'Digest' }, fromTelegram);
  await after(30);
  assert.deepEqual(chats.texts, ["⚠️ The scheduled job 'Digest' failed: the model provider refused the login."]);
  assert.deepEqual([store.get(id)?.last_status, rows()[0]?.status], ['error', 'failed']);
});

test('each chat gets a result once, wherever it was named', async (t) => {
  const { desk, model, chats, after } = await startScheduler(t);
  model.enqueue({ text: 'news' });
  const origin = { platform: 'telegram', chat_id: '-100' };
  await desk.create({ schedule: '30m', prompt: 'x', deliver: 'origin,all,telegram:9:4' }, origin);
  await after(30);
  assert.deepEqual(chats.sent.map(({ to }) => `${to.platform} ${to.chatId} ${to.threadId ?? ''}`.trim()).sort(), [
    'matrix !home',
    'telegram -100',
    'telegram 9 4',
  ]);
  assert.equal(new Set(chats.sent.map(({ message }) => message.id)).size, 3);
});

test('where nothing can be delivered, the job has run and says what was wrong', async (t) => {
  const { desk, model, chats, after, output, store } = await startScheduler(t);
  model.enqueue({ text: 'Kept all the same.' }, { text: 'b' }, { text: 'c' });
  const nowhere = await desk.create({ schedule: '30m', prompt: 'x', deliver: 'slack' }, undefined);
  const local = await desk.create({ schedule: '30m', prompt: 'x', deliver: 'local' }, undefined);
  await after(30);
  chats.down = true;
  const down = await desk.create({ schedule: '30m', prompt: 'x' }, fromTelegram);
  await after(30);
  const said = (id: string) => [store.get(id)?.last_status, store.get(id)?.last_delivery_error];
  assert.deepEqual(said(nowhere.id), ['ok', "slack: no chat platform 'slack' is set up"]);
  assert.match(output(nowhere.id) ?? '', /Kept all the same\./, 'its document is there');
  assert.deepEqual([...said(local.id), store.get(local.id)?.last_error], ['ok', null, null]);
  assert.deepEqual(said(down.id), ['ok', 'telegram:77: the network is down']);
});

test('two schedulers that look at once run what is due once', async (t) => {
  const one = await startScheduler(t, { respond: () => ({ text: 'done' }) });
  const other = new Scheduler({
    program: one.program,
    chats: one.chats,
    now: () => one.clock.now,
  });
  t.after(() => other.close());
  await one.desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  one.clock.now += 61 * 60_000;
  const counts = await Promise.all([one.scheduler.tick(), other.tick()]);
  const { signal } = new AbortController();
  await Promise.all([one.scheduler.settled(signal), other.settled(signal)]);
  assert.deepEqual([counts.toSorted(), one.model.requests.length], [[0, 1], 1]);
});

test('a job that still runs is not begun again, and edits made meanwhile stay', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { desk, model, scheduler, clock, store } = await startScheduler(t);
  model.enqueue({ text: 'late', gate: gate.promise });
  const slow = await desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  const idle = await desk.create({ schedule: 'every 9d', prompt: 'y' }, undefined);
  clock.now += 61 * 60_000;
  assert.equal(await scheduler.tick(), 1);
  await model.requestArrived(1);
  clock.now += 61 * 60_000;
  assert.equal(await scheduler.tick(), 0);
  await desk.update(idle.id, { name: 'new' });
  await desk.update(slow.id, { name: 'renamed' });
  gate.resolve();
  await scheduler.settled(new AbortController().signal);
  assert.deepEqual(
    [store.get(idle.id)?.name, store.get(slow.id)?.name, store.get(slow.id)?.last_status],
    ['new', 'renamed', 'ok'],
  );
});

test('a job that was removed while it ran does not come back', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { desk, model, scheduler, clock, store } = await startScheduler(t);
  model.enqueue({ text: 'late', gate: gate.promise });
  const { id } = await desk.create({ schedule: '30m', prompt: 'x' }, undefined);
  clock.now += 31 * 60_000;
  await scheduler.tick();
  await model.requestArrived(1);
  await desk.remove(id);
  gate.resolve();
  await scheduler.settled(new AbortController().signal);
  assert.deepEqual(store.list(), []);
});

test('run now runs before it returns, and leaves the next turn of the job as it was', async (t) => {
  const { desk, model, scheduler, store, rows } = await startScheduler(t);
  model.enqueue({ text: 'now' });
  const { id } = await desk.create({ schedule: 'every 2h', prompt: 'x' }, undefined);
  const run = await scheduler.runNow(id);
  assert.deepEqual(run.as === 'ran' && run.outcome.ok && run.outcome.text, 'now');
  assert.deepEqual(
    rows().map(({ source, status }) => [source, status]),
    [['direct', 'completed']],
  );
  assert.equal(store.get(id)?.next_run_at, '2026-07-20T12:30:00+00:00');
  await desk.pause(id, undefined);
  assert.deepEqual(await scheduler.runNow(id), { as: 'skipped' });
});

test('what was cut off by the death of its process is told, and not run again', async (t) => {
  const { desk, store, chats, scheduler, after, rows, homePath, model } = await startScheduler(t);
  const { Executions } = await import('../../../src/cron/executions.ts');
  const { id } = await desk.create({ schedule: 'every 1h', prompt: 'x', name: 'Nightly' }, fromTelegram);
  const ledger = new Executions(homePath);
  const dead = ledger.claim(
    id,
    'builtin',
    { processId: 'x', pid: 2 ** 22 + 7, startedAt: 1 },
    '2026-07-20T10:00:00+00:00',
  );
  ledger.begin(dead, '2026-07-20T10:00:01+00:00');
  ledger.close();
  await scheduler.recover();
  await scheduler.recover();
  assert.deepEqual(
    rows().map(({ status }) => status),
    ['unknown'],
  );
  assert.equal(chats.texts.length, 1);
  assert.match(chats.texts[0] ?? '', /'Nightly' failed: The program ended while the job ran/);
  assert.equal(store.get(id)?.last_status, 'error');
  assert.deepEqual([await after(1), model.requests.length], [0, 0]);
});

test('who is killed before it has told of a run that was cut off leaves that to the next one', async (t) => {
  const { desk, program, chats, scheduler, rows, homePath, clock } = await startScheduler(t);
  const { Executions } = await import('../../../src/cron/executions.ts');
  const { id } = await desk.create({ schedule: 'every 1h', prompt: 'x', name: 'Nightly' }, fromTelegram);
  const ledger = new Executions(homePath);
  const runner = { processId: 'x', pid: 2 ** 22 + 7, startedAt: 1 };
  ledger.begin(ledger.claim(id, 'builtin', runner, '2026-07-20T10:00:00+00:00'), '2026-07-20T10:00:01+00:00');
  ledger.close();
  const killed: JobChats = Object.assign(Object.create(chats), { send: () => new Promise<void>(() => undefined) });
  const dying = new Scheduler({ program, chats: killed, now: () => clock.now });
  t.after(() => dying.close());
  void dying.recover();
  await scheduler.recover();
  await scheduler.recover();
  assert.equal(chats.texts.length, 1);
  assert.match(chats.texts[0] ?? '', /'Nightly' failed: The program ended while the job ran/);
  assert.deepEqual(
    rows().map(({ status }) => status),
    ['unknown'],
  );
});

test('a job that cannot be written down is not begun, and is no run that was cut off', async (t) => {
  const { desk, model, store, scheduler, clock, after, rows } = await startScheduler(t);
  model.enqueue({ text: 'done' });
  await desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  const changeAll = store.changeAll.bind(store);
  const full = t.mock.method(store, 'changeAll', async (decide: Parameters<typeof changeAll>[0]) => {
    for (const job of store.list()) decide(job);
    await Promise.reject(new Error('the disk is full'));
    return [];
  });
  clock.now += 61 * 60_000;
  await assert.rejects(scheduler.tick(), /the disk is full/);
  const statuses = (): string[] => rows().map(({ status, error }) => `${status} ${error ?? ''}`.trim());
  assert.deepEqual(statuses(), ['failed The job could not be taken, so it was not begun.']);
  full.mock.restore();
  assert.equal(await after(1), 1);
  assert.equal(statuses()[0], 'completed');
});

test('a stop in the middle of a run marks it as interrupted', async (t) => {
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  const { desk, model, scheduler, clock, store, rows } = await startScheduler(t);
  model.enqueue({ text: 'never', gate: gate.promise });
  const { id } = await desk.create({ schedule: 'every 1h', prompt: 'x' }, undefined);
  clock.now += 61 * 60_000;
  await scheduler.tick();
  await model.requestArrived(1);
  await scheduler.close();
  assert.match(store.get(id)?.last_error ?? '', /interrupted/);
  assert.equal(rows()[0]?.status, 'failed');
});

test('the key of a provider goes to no address that a job brings along', async (t) => {
  const env = { DEEPSEEK_API_KEY: 'sk-of-the-owner-1', OPENAI_API_KEY: 'sk-of-the-owner-2' };
  const elsewhere = await startModelServer({ respond: () => ({ text: 'Hello' }) });
  t.after(() => elsewhere.close());
  const { desk, model, chats, after } = await startScheduler(t, { env, respond: () => ({ text: 'Hello' }) });
  for (const provider of ['deepseek', 'custom']) {
    await desk.create({ schedule: '30m', prompt: 'x', model: 'm', provider, baseUrl: elsewhere.url }, fromTelegram);
  }
  await desk.create({ schedule: '30m', prompt: 'x', model: 'm', provider: 'custom', baseUrl: model.url }, fromTelegram);
  await after(30);
  assert.equal(chats.texts.length, 3);
  const shown = (server: typeof model): readonly unknown[] =>
    server.requests.map(({ headers }) => headers.authorization);
  assert.deepEqual([...new Set(shown(elsewhere))], ['Bearer no-key-required']);
  assert.deepEqual([...new Set(shown(model))], ['Bearer test-key']);
});
