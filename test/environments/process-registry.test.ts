/** The registry of background processes, with a clock of its own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { BackgroundProcess } from '../../src/environments/environment.ts';
import { PatternWatch } from '../../src/environments/pattern-watch.ts';
import { createProcessRegistry, type ProcessRegistry } from '../../src/environments/process-registry.ts';
import { makeDirectory, makeWorkplace, until } from './support.ts';

/** A process whose output and end the test decides. */
class ScriptedProcess implements BackgroundProcess {
  readonly pid = process.pid;
  readonly exited: Promise<number>;
  end: (code: number) => void = () => undefined;
  print: (text: string) => void = () => undefined;

  constructor() {
    this.exited = new Promise((resolve) => (this.end = resolve));
  }

  onOutput(listener: (chunk: string) => void): void {
    this.print = listener;
  }

  write(): boolean {
    return false;
  }

  endInput(): boolean {
    return false;
  }

  async kill(): Promise<void> {
    this.end(143);
  }
}

function makeRegistry(t: TestContext): { registry: ProcessRegistry; home: string; clock: { now: number } } {
  const home = makeDirectory(t);
  const clock = { now: 1_000_000 };
  const redact = (text: string): string => text.replaceAll('hunter2', '***');
  return { registry: createProcessRegistry({ homePath: home, redact, now: () => clock.now }), home, clock };
}

const noSignal = new AbortController().signal;

test('a process is listed while it runs and thirty minutes after', async (t) => {
  const { registry, clock } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'serve', { cwd: '/w' });
  assert.match(id, /^proc_[0-9a-f]{12}$/);
  clock.now += 5000;
  assert.deepEqual(registry.poll(id), {
    id,
    command: 'serve',
    cwd: '/w',
    pid: process.pid,
    startedAt: 1_000_000,
    uptimeSeconds: 5,
    status: 'running',
    notifyOnComplete: false,
    watchHit: false,
  });
  scripted.end(3);
  assert.equal(await registry.wait(id, { timeoutMs: 1000, signal: noSignal }), 'exited');
  clock.now += 1_800_000;
  assert.equal(registry.poll(id)?.exitCode, 3);
  assert.equal(registry.poll(id)?.uptimeSeconds, 5);
  clock.now += 1;
  assert.equal(registry.poll(id), undefined);
  assert.equal(registry.size, 0);
});

test('only the newest 200,000 characters are kept', (t) => {
  const { registry } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'noisy', { cwd: '/' });
  for (let line = 0; line < 100_000; line++) scripted.print(`line ${line}\n`);
  assert.equal(registry.log(id).length, 200_000);
  assert.equal(registry.log(id, 11), 'line 99999\n');
});

test('the oldest finished process gives way to the 65th; 64 living ones are the limit', async (t) => {
  const { registry, clock } = makeRegistry(t);
  const all = Array.from({ length: 64 }, () => new ScriptedProcess());
  const ids = all.map((scripted, index) => registry.track(scripted, `c${index}`, { cwd: '/' }).id);
  assert.throws(() => registry.track(new ScriptedProcess(), 'one more', { cwd: '/' }), /64 are running/);
  for (const index of [9, 4]) {
    clock.now += 1000;
    all[index]?.end(0);
    await registry.wait(ids[index] ?? '', { timeoutMs: 1000, signal: noSignal });
  }
  registry.track(new ScriptedProcess(), 'one more', { cwd: '/' });
  assert.equal(registry.size, 64);
  assert.equal(registry.poll(ids[9] ?? ''), undefined);
  assert.equal(registry.poll(ids[4] ?? '')?.status, 'exited');
  assert.equal(registry.running, 63);
});

test('a wait may be longer than timers can be', async (t) => {
  const { registry } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'serve', { cwd: '/w' });
  setTimeout(() => scripted.end(0), 50);
  assert.equal(await registry.wait(id, { timeoutMs: 2 ** 40, signal: noSignal }), 'exited');
});

test('waiting ends with the process, the deadline or the interrupt', async (t) => {
  const { registry } = makeRegistry(t);
  const { id } = registry.track(new ScriptedProcess(), 'x', { cwd: '/' });
  assert.equal(await registry.wait(id, { timeoutMs: 5, signal: noSignal }), 'timeout');
  assert.equal(await registry.wait(id, { timeoutMs: 5000, signal: AbortSignal.timeout(5) }), 'interrupted');
  assert.equal(await registry.wait('proc_x', { timeoutMs: 5, signal: noSignal }), 'not_found');
  assert.equal(await registry.kill(id), 'killed');
  assert.equal(registry.poll(id)?.exitCode, -15);
  assert.equal(await registry.kill(id), 'already_exited');
  assert.equal(registry.write(id, 'x'), 'exited');
});

test('the end is told once, unless somebody has seen it or ended it', async (t) => {
  const { registry } = makeRegistry(t);
  let calls = 0;
  const stop = registry.onNotice(() => calls++);
  const [told, seen, ended] = [new ScriptedProcess(), new ScriptedProcess(), new ScriptedProcess()];
  const options = { cwd: '/', notifyOnComplete: true };
  const first = registry.track(told, 'login hunter2', options);
  const second = registry.track(seen, 'b', options);
  const third = registry.track(ended, 'c', options);
  told.print('\u001b[31mred\u001b[0m hunter2\n');
  told.end(1);
  seen.end(0);
  await until(() => calls === 2, 'both ends are told');
  registry.poll(second.id);
  await registry.kill(third.id);
  const notices = registry.takeNotices();
  assert.equal(notices.length, 1);
  assert.deepEqual([notices[0]?.kind, notices[0]?.processId, notices[0]?.exitCode], ['completed', first.id, 1]);
  const text = `[IMPORTANT: Background process ${first.id} ended (exit code 1).\nCommand: login ***\nOutput:\nred ***]`;
  assert.equal(notices[0]?.text, text);
  assert.deepEqual(registry.takeNotices(), []);
  stop();
});

const watched = { cwd: '/', watchPatterns: ['never there', 'ERROR'] };

test('a watched pattern is told at most every fifteen seconds', (t) => {
  const { registry, clock } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'serve hunter2', watched);
  scripted.print('fine\nERR');
  scripted.print('OR one\nfine\nERROR two\n');
  const told = `[IMPORTANT: Background process ${id} matched watch pattern "ERROR".\nCommand: serve ***\nOutput:\nERROR one\nERROR two]`;
  assert.deepEqual(
    registry.takeNotices().map(({ text }) => text),
    [told],
  );
  clock.now += 14_999;
  scripted.print('ERROR held back\n');
  assert.deepEqual(registry.takeNotices(), []);
  clock.now += 1;
  scripted.print('ERROR again\n');
  assert.match(registry.takeNotices()[0]?.text ?? '', /Output:\nERROR again\n\(1 earlier matches were not told\)\]$/);
});

test('three pauses in a row with matches in them turn the watch into one notice of the end', async (t) => {
  const { registry, clock } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'serve', watched);
  const texts: string[] = [];
  for (let second = 0; second < 100; second++) {
    scripted.print('ERROR\n');
    texts.push(...registry.takeNotices().map(({ text }) => text));
    clock.now += 1000;
  }
  assert.equal(texts.length, 4);
  assert.ok(texts.slice(0, 3).every((text) => text.includes('matched watch pattern')));
  assert.match(texts[3] ?? '', /they are off, and you are told when it ends/);
  assert.deepEqual([registry.poll(id)?.watchPatterns, registry.poll(id)?.notifyOnComplete], [undefined, true]);
  scripted.end(0);
  await until(() => registry.takeNotices().some(({ kind }) => kind === 'completed'), 'its end is told');
});

test('a pause in which nothing matched begins the count anew', (t) => {
  const { registry, clock } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'serve', watched);
  for (let round = 0; round < 6; round++) {
    scripted.print('ERROR\nERROR\n');
    if (round % 2 === 0) scripted.print('ERROR in the pause\n');
    clock.now += 15_000;
  }
  assert.deepEqual(registry.poll(id)?.watchPatterns, watched.watchPatterns);
});

test('a match tells at most twenty lines', () => {
  const watch = new PatternWatch(['E']);
  const news = watch.push('E\n'.repeat(30), 0);
  assert.equal(news?.kind === 'match' && news.lines.length, 20);
});

test('a question at the end of the output, without a line break, is told after a moment', async (t) => {
  const { registry } = makeRegistry(t);
  const scripted = new ScriptedProcess();
  registry.track(scripted, 'login', { cwd: '/', watchPatterns: ['Password:'] });
  scripted.print('Password: ');
  assert.deepEqual(registry.takeNotices(), [], 'the line may go on');
  const texts: string[] = [];
  await until(() => texts.push(...registry.takeNotices().map(({ text }) => text)) > 0, 'it is told');
  scripted.print('\nfine\n');
  scripted.end(0);
  assert.match(texts[0] ?? '', /Output:\nPassword:\]$/);
});

test('matches of all processes together: fifteen in ten seconds, then silence for thirty', (t) => {
  const { registry, clock } = makeRegistry(t);
  const all = Array.from({ length: 20 }, () => new ScriptedProcess());
  for (const scripted of all) registry.track(scripted, 'serve', watched);
  for (const scripted of all) scripted.print('ERROR\n');
  const texts = registry.takeNotices().map(({ text }) => text);
  assert.equal(texts.length, 16);
  assert.match(texts[15] ?? '', /nothing more is told of them for 30 seconds/);
  clock.now += 30_000;
  all[0]?.print('ERROR\n');
  const after = registry.takeNotices().map(({ text }) => text);
  assert.match(after[0] ?? '', /told of again; 5 matches were left out/);
  assert.match(after[1] ?? '', /matched watch pattern/);
});

test('a line is watched whole, without colours, and never without bound', () => {
  const watch = new PatternWatch(['ready on port']);
  assert.equal(watch.push('rea\u001b[1mdy on', 0), undefined);
  assert.deepEqual(watch.push(' port 1\n', 0), {
    kind: 'match',
    pattern: 'ready on port',
    lines: ['ready on port 1'],
    suppressed: 0,
  });
  assert.equal(new PatternWatch(['']).push('anything\n', 0), undefined);
});

test('running processes are recorded for others to see, without secrets; other records stay while they live', async (t) => {
  const { registry, home } = makeRegistry(t);
  const path = join(home, 'processes.json');
  const other = createProcessRegistry({ homePath: home, redact: (text) => text });
  const foreign = other.track(new ScriptedProcess(), 'foreign', { cwd: '/' });
  const scripted = new ScriptedProcess();
  const { id } = registry.track(scripted, 'login hunter2', { cwd: '/w', taskId: 'task-1', notifyOnComplete: true });
  const record = JSON.parse(readFileSync(path, 'utf8'))[1];
  const stat = readFileSync('/proc/self/stat', 'utf8');
  assert.deepEqual(record, {
    session_id: id,
    command: 'login ***',
    pid: process.pid,
    pid_scope: 'host',
    host_start_time: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20]),
    cwd: '/w',
    started_at: 1000,
    task_id: 'task-1',
    session_key: '',
    watcher_platform: '',
    watcher_chat_id: '',
    watcher_user_id: '',
    watcher_user_name: '',
    watcher_thread_id: '',
    watcher_message_id: '',
    watcher_interval: 0,
    notify_on_complete: true,
    watch_patterns: [],
  });
  scripted.end(0);
  await registry.wait(id, { timeoutMs: 1000, signal: noSignal });
  const left = JSON.parse(readFileSync(path, 'utf8')).map((record: { session_id: string }) => record.session_id);
  assert.deepEqual(left, [foreign.id]);
});

test('a real process is started, written to, and ended on close', async (t) => {
  const { registry } = makeRegistry(t);
  const { environment } = makeWorkplace(t);
  const { id } = await registry.start(environment, 'read x; echo "got:$x"; sleep 100', { pty: true });
  assert.equal(registry.write(id, 'hi\n'), 'ok');
  await until(() => registry.log(id).includes('got:hi'), 'it answers');
  await registry.close();
  assert.equal(registry.running, 0);
});
