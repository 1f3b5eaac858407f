/** The log: what a line looks like, what never gets into it, and what happens when its file is full or cannot be written. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { FileLog, type LogSettings } from '../../src/lib/file-log.ts';

const settings: LogSettings = { level: 'INFO', maxBytes: 1_000_000, backups: 3 };
const noon = new Date(2026, 10, 22, 12, 5, 7, 42);
const head = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR)( \[[^\]]*\])? [\w.:@+-]+: /;

test('an entry has its time, level, session and logger, and errors stand in a file of their own too', (t) => {
  const { log, read } = openLog(t);
  log.named('agent').forSession('20261122_120000_abcdef').info('turn ended');
  log.named('tools').named('terminal').warning('shell was restarted', new Error('it died'));
  log.debug('not asked for');
  log.flush();
  const warning = '2026-11-22 12:05:07,042 WARNING tools.terminal: shell was restarted: Error: it died\n';
  assert.equal(
    read('agent.log'),
    `2026-11-22 12:05:07,042 INFO [20261122_120000_abcdef] agent: turn ended\n${warning}`,
  );
  assert.equal(read('errors.log'), warning);
  assert.equal(statSync(join(log.directory, 'agent.log')).mode & 0o777, 0o600);
});

test('times are those of the zone that is configured', (t) => {
  const { log, read } = openLog(t, {}, new Date('2026-11-22T18:30:07.042Z'));
  log.configure({ ...settings, timezone: 'Asia/Kolkata' });
  log.error('here');
  assert.equal(read('agent.log'), '2026-11-23 00:00:07,042 ERROR hermes: here\n');
});

test('an entry ends with the error it is about, and with what caused that', (t) => {
  const { log, read } = openLog(t);
  log.warning('no answer', new Error('request failed', { cause: new TypeError('socket closed') }));
  log.error('broken', new RangeError('index 7'));
  const lines = read('agent.log').split('\n');
  assert.match(lines[0] ?? '', /: no answer: Error: request failed; caused by: TypeError: socket closed$/);
  assert.match(lines[1] ?? '', /: broken: RangeError: index 7$/);
  assert.match(lines[2] ?? '', /^ {8}at .*file-log\.test\.ts/);
});

test('an error is in the file when the call returns, and what came before it is too', (t) => {
  const { log, read } = openLog(t);
  log.info('first');
  assert.equal(existsSync(join(log.directory, 'agent.log')), false);
  log.error('second');
  assert.match(read('agent.log'), /first\n.*second\n$/);
});

test('no text can begin a line that looks like an entry', (t) => {
  const { log, read } = openLog(t);
  const forged = '\n2026-01-01 00:00:00,000 ERROR agent: forged';
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, name) => {
      log.named(name).forSession(name).info(`${text}${forged}\r${forged}\u2028${text}`, new Error(forged));
    }),
    { numRuns: 300 },
  );
  log.flush();
  const text = read('agent.log');
  assert.equal(text.split(/[\n\r\u2028\u2029\u0085]/).filter((line) => head.test(line)).length, 300);
  assert.doesNotMatch(text, /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
});

test('secrets are masked in messages, in errors and in causes', (t) => {
  const { log, read } = openLog(t);
  log.info('key hunter2', new Error('hunter2 is wrong', { cause: 'hunter2' }));
  log.flush();
  assert.equal(read('agent.log').includes('hunter2'), false);
});

test('a text without end is cut', (t) => {
  const { log, read } = openLog(t);
  log.info('x'.repeat(10_000_000));
  log.flush();
  const text = read('agent.log');
  assert.ok(text.length < 10_000, `${text.length} characters`);
  assert.match(text, /… \(\d+ more characters\)\n$/);
});

test('what throws when it is looked at is logged as far as it goes', (t) => {
  const { log, read } = openLog(t);
  const hostile = {
    toString() {
      throw new Error('no');
    },
  };
  log.error('hostile', hostile);
  assert.match(read('agent.log'), /ERROR hermes: \(an entry that could not be written\)\n$/);
});

test('a full file becomes NAME.1, and the oldest goes', (t) => {
  const { log, directory } = openLog(t, { maxBytes: 300, backups: 2 });
  for (let number = 0; number < 40; number += 1) {
    log.info(`entry ${number}`);
    log.flush();
  }
  assert.deepEqual(
    readdirSync(directory)
      .filter((name) => name.endsWith('log') || /\d$/.test(name))
      .sort(),
    ['agent.log', 'agent.log.1', 'agent.log.2'],
  );
  for (const name of ['agent.log', 'agent.log.1']) assert.ok(statSync(join(directory, name)).size <= 300);
  const kept = ['agent.log.2', 'agent.log.1', 'agent.log'].map((name) => readFileSync(join(directory, name), 'utf8'));
  const numbers = [...kept.join('').matchAll(/entry (\d+)/g)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => 40 - numbers.length + index),
  );
});

test('when entries come faster than they are written, some are dropped and counted', (t) => {
  const { log, read } = openLog(t);
  for (let number = 0; number < 1000; number += 1) log.info('x'.repeat(5000));
  log.flush();
  const text = read('agent.log');
  assert.ok(text.length < 300_000);
  assert.match(text, /\n {4}\(9\d\d more entries came too fast and were dropped\)\n$/);
});

test('nothing is made before the first entry, and a home that is gone is not made again', async (t) => {
  const { log, directory } = openLog(t);
  assert.equal(existsSync(directory), false);
  rmSync(join(directory, '..'), { recursive: true });
  log.error('into the void');
  assert.equal(existsSync(join(directory, '..')), false);
});

test('where nothing can be written, logging does nothing', (t) => {
  const { log, directory } = openLog(t);
  writeFileSync(directory, 'a file is in the way');
  log.info('one');
  log.error('two');
  log.flush();
  assert.equal(readFileSync(directory, 'utf8'), 'a file is in the way');
});

test('entries are written soon without being asked to, and when the process ends', async (t) => {
  const { log, read } = openLog(t);
  log.info('by itself');
  await t.waitFor(() => assert.match(read('agent.log'), /by itself/), { timeout: 20_000 });
  const { directory } = openLog(t);
  await inProcess(directory, `log.info('last words'); process.exit(0);`);
  assert.match(readFileSync(join(directory, 'agent.log'), 'utf8'), /last words\n$/);
});

test('several processes that fill the same file lose no entry and keep the number of files', async (t) => {
  const { directory } = openLog(t);
  const entries = 400;
  const work = (name: string) =>
    `for (let number = 0; number < ${entries}; number += 1) { log.info('${name}' + number); log.flush(); }`;
  await Promise.all(['a', 'b', 'c'].map((name) => inProcess(directory, work(name), { maxBytes: 20_000, backups: 20 })));
  const files = readdirSync(directory).filter((name) => name.startsWith('agent.log'));
  const text = files.map((name) => readFileSync(join(directory, name), 'utf8')).join('');
  const found = [...text.matchAll(/hermes: ([abc]\d+)\n/g)].map(([, entry]) => entry);
  assert.equal(new Set(found).size, 3 * entries);
  assert.equal(found.length, 3 * entries);
  assert.ok(text.split('\n').every((line) => line === '' || head.test(line)));
});

function openLog(t: TestContext, more: Partial<LogSettings> = {}, now = noon) {
  const base = mkdtempSync(join(tmpdir(), 'hermes-log-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const home = join(base, 'home');
  mkdirSync(home);
  const directory = join(home, 'logs');
  const log = FileLog.open({
    directory,
    settings: { ...settings, ...more },
    mask: (text) => text.replaceAll('hunter2', '***'),
    now: () => now,
  });
  const read = (name: string) => (existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : '');
  return { log: Object.assign(log, { directory }), directory, read };
}

async function inProcess(directory: string, work: string, more: Partial<LogSettings> = {}): Promise<void> {
  const module = fileURLToPath(new URL('../../src/lib/file-log.ts', import.meta.url));
  const options = JSON.stringify({ directory, settings: { ...settings, ...more } });
  const code = `import { FileLog } from ${JSON.stringify(module)};
    const log = FileLog.open({ ...${options}, mask: (text) => text });
    ${work}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exitCode] = await once(child, 'exit');
  assert.equal(exitCode, 0);
}
