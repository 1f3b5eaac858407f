/** `hermes logs`: which lines it shows, how it follows a file, and what it says when there is nothing. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as logs from '../../../src/cli/commands/logs.ts';
import { LogLines } from '../../../src/cli/logs/filter.ts';
import { LogFollower } from '../../../src/cli/logs/read-log.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { hermes, makePlace } from '../hermes-process.ts';
import { runCommand } from './run-command.ts';

const lines = [
  '2026-11-20 10:00:00,000 INFO agent: started',
  '2026-11-20 10:00:01,000 DEBUG [20261120_100000_aaaaaa] agent.turn: step',
  '2026-11-20 10:00:02,000 ERROR [20261120_100000_aaaaaa] tools.terminal: failed',
  '    at somewhere',
  '2026-11-20 10:00:03,000 WARNING [20261120_100000_bbbbbb] gateway.telegram: slow',
];

test('the last lines of agent.log are shown', async (t) => {
  const place = homeWith(t, { 'agent.log': `${lines.join('\n')}\n` });
  assert.equal((await runCommand(logs, place)).stdout, `${lines.join('\n')}\n`);
  assert.equal((await runCommand(logs, place, '-n', '2')).stdout, `${lines.slice(-2).join('\n')}\n`);
  assert.equal((await runCommand(logs, place, 'agent', '-n', '0')).stdout, '');
});

for (const [what, argv, expected] of [
  ['a level shows what is as serious or more, and lines without a level', ['--level', 'warning'], [2, 3, 4]],
  ['a session shows the lines whose session contains the text', ['--session', 'aaaa'], [1, 2, 3]],
  ['a component shows the loggers below its name', ['--component', 'tools'], [2, 3]],
  ['filters add up', ['--component', 'agent', '--level', 'INFO'], [0]],
  ['a time shows what is newer, and lines without a time', ['--since', '30m'], [3]],
] as const) {
  test(what, async (t) => {
    const place = homeWith(t, { 'agent.log': `${lines.join('\n')}\n` });
    const run = await runCommand(logs, place, ...argv);
    assert.deepEqual(
      run.stdout.trimEnd().split('\n'),
      expected.map((index) => lines[index]?.trimEnd()),
    );
  });
}

test('a time keeps recent entries', async (t) => {
  const two = (part: number) => String(part).padStart(2, '0');
  const now = new Date(Date.now() - 60_000);
  const stamp = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  const place = homeWith(t, { 'agent.log': `${lines[0]}\n${stamp},000 INFO agent: recent\n` });
  assert.equal((await runCommand(logs, place, '--since', '1h')).stdout, `${stamp},000 INFO agent: recent\n`);
});

for (const [what, argv, message] of [
  ['an unknown log', ['nosuch'], /Unknown log 'nosuch'\. Known: agent, errors, gateway, gui, desktop, mcp/],
  ['an unknown level', ['--level', 'loud'], /Unknown level 'loud'/],
  ['an unknown component', ['--component', 'x'], /Unknown component 'x'/],
  ['a time that is none', ['--since', 'yesterday'], /Cannot read 'yesterday' as a time/],
  ['a log that is not there', ['errors'], /There is no log at .*errors\.log yet/],
] as const) {
  test(`${what} is named on stdout with exit code 1`, async (t) => {
    const run = await runCommand(logs, homeWith(t, { 'agent.log': '' }), ...argv);
    assert.deepEqual([run.exitCode, run.stderr], [1, '']);
    assert.match(run.stdout, message);
  });
}

test('list names the files with size and age', async (t) => {
  const place = homeWith(t, { 'agent.log': 'x'.repeat(2048), 'agent.log.1': '', 'notes.txt': '' });
  const { stdout } = await runCommand(logs, place, 'list');
  assert.match(stdout, /^agent\.log +2\.0 KB +just now\nagent\.log\.1 +0 B +just now\n$/);
  assert.match((await runCommand(logs, homeWith(t, {}), 'list')).stdout, /There are no logs in/);
});

test('what foreign programs write cannot move the cursor', async (t) => {
  const place = homeWith(t, { 'mcp-stderr.log': 'a\x1b[2Jb\n' });
  assert.equal((await runCommand(logs, place, 'mcp')).stdout, 'a\\x1b[2Jb\n');
});

test('following shows what is appended, and goes on in the new file after a rotation', async (t) => {
  const place = homeWith(t, { 'agent.log': 'old\n' });
  const path = join(place.home.path, 'logs', 'agent.log');
  const seen: string[] = [];
  const stop = new AbortController();
  const start = { lines: new LogLines({}), position: 4 };
  const following = new LogFollower(path, start, (line) => void seen.push(line)).run(stop.signal);
  appendFileSync(path, 'one\ntw');
  await t.waitFor(() => assert.deepEqual(seen, ['one']), { timeout: 20_000 });
  appendFileSync(path, 'o\n');
  await t.waitFor(() => assert.deepEqual(seen, ['one', 'two']), { timeout: 20_000 });
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'three\n');
  await t.waitFor(() => assert.deepEqual(seen, ['one', 'two', 'three']), { timeout: 20_000 });
  stop.abort();
  await following;
});

test('hermes logs reads what hermes wrote', async (t) => {
  const place = makePlace(t);
  mkdirSync(join(place.home, 'logs'), { recursive: true });
  place.write('logs/agent.log', '2026-11-20 10:00:00,000 INFO agent: started\n');
  const run = await hermes(place, ['logs', '--level', 'INFO']);
  assert.deepEqual([run.code, run.stderr], [0, '']);
  assert.equal(run.stdout, '2026-11-20 10:00:00,000 INFO agent: started\n');
});

function homeWith(t: TestContext, files: Readonly<Record<string, string>>) {
  const place = temporaryHome(t);
  mkdirSync(join(place.home.path, 'logs'));
  for (const [name, text] of Object.entries(files)) place.write(`logs/${name}`, text);
  return place;
}
