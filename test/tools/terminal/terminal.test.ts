/** The terminal tool as a model meets it. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Source } from '../../../src/llm/source.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { searchFilesTool } from '../../../src/tools/file/search-files.ts';
import type { OutsideRuns } from '../../../src/tools/services.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { jsonOf, person, runTool } from '../support.ts';
import { makeBench } from './support.ts';

test('the parameters have the names and defaults that models know', () => {
  const properties = terminalTool.schema['properties'];
  assert.deepEqual(Object.keys(properties as object), [
    'command',
    'background',
    'timeout',
    'workdir',
    'pty',
    'notify_on_complete',
    'watch_patterns',
  ]);
  assert.deepEqual(terminalTool.schema['required'], ['command']);
  assert.match(JSON.stringify(terminalTool.schema), /"background":\{"default":false/);
});

test('a command that ends gives its output, its code and no error', async (t) => {
  const { terminal } = makeBench(t);
  assert.deepEqual(await terminal({ command: 'printf a; exit 3' }), { output: 'a', exit_code: 3, error: null });
  assert.deepEqual(await terminal({ command: "cat <<'E'\nhi\nE" }), { output: 'hi', exit_code: 0, error: null });
});

test('a command that takes too long gives 124, says so, and tells that the shell is new', async (t) => {
  const { terminal } = makeBench(t);
  const result = await terminal({ command: 'echo first; sleep 50', timeout: 2 });
  assert.equal(result['exit_code'], 124);
  assert.equal(result['output'], 'first\n[Command timed out after 2s]');
  assert.match(result['note'], /new one continues/);
});

test('more time than a foreground command may take is refused with the way to run it; more in the background is not', async (t) => {
  const { terminal } = makeBench(t);
  const { error, status } = await terminal({ command: 'touch made', timeout: 700 });
  assert.match(error, /timeout 700 .*600 s.*background: true/);
  assert.equal(status, 'error');
  assert.equal((await terminal({ command: 'ls made' }))['exit_code'], 2, 'nothing ran');
  assert.equal((await terminal({ command: 'true', timeout: 600 }))['exit_code'], 0);
  assert.equal((await terminal({ command: 'true', timeout: 700, background: true }))['error'], null);
});

test('servers, detached programs and & are refused in the foreground, with the way to run them', async (t) => {
  const { terminal } = makeBench(t);
  for (const command of [
    'sleep 1 &',
    'touch made && sleep 1 & echo ok',
    'nohup sleep 1',
    'setsid sleep 1',
    'npm run dev',
    'yarn start',
    'python3 -m http.server 8000',
    'cd site && npx vite',
    'docker compose up',
    'uvicorn app:api',
  ]) {
    const { status, error, exit_code } = await terminal({ command });
    assert.deepEqual([status, exit_code], ['error', -1], command);
    assert.match(error, /background: true/, command);
  }
  assert.equal((await terminal({ command: 'ls made' }))['exit_code'], 2, 'nothing ran');
  for (const [command, output] of [
    ['echo "a & b"', 'a & b'],
    ['echo 1 & echo 2 & wait', /^[12]\n[12]$/],
    ["echo 'npm run dev'", 'npm run dev'],
    ['npm run dev --help >/dev/null 2>&1; echo asked', 'asked'],
    ['timeout 0.1 python3 -m http.server 0 >/dev/null 2>&1; echo ended', 'ended'],
  ] as const) {
    const result = await terminal({ command });
    if (typeof output === 'string') assert.equal(result['output'], output, command);
    else assert.match(result['output'], output, command);
  }
});

test('the configured timeout holds when the model names none', async (t) => {
  const { terminal } = makeBench(t, { services: { settings: { terminal: { timeout: 0.2 } } } });
  assert.equal((await terminal({ command: 'sleep 50' }))['exit_code'], 124);
});

test('an interrupt gives 130 and ends with a notice', async (t) => {
  const { terminal, shown } = makeBench(t);
  const interrupt = new AbortController();
  const running = terminal({ command: 'echo first; sleep 50' }, interrupt.signal);
  const waiting = setInterval(() => shown.length > 0 && interrupt.abort(), 5);
  const result = await running;
  clearInterval(waiting);
  assert.equal(result['exit_code'], 130);
  assert.equal(result['output'], 'first\n[Command interrupted]');
});

test('a long output is cut to 40 % head and 60 % tail', async (t) => {
  const { terminal } = makeBench(t);
  const result = await terminal({ command: `head -c 200000 /dev/zero | tr '\\0' x` });
  const output: string = result['output'];
  assert.ok(output.length <= 50_100, `${output.length}`);
  assert.match(output, /^x{20000}\n\n.*\[OUTPUT TRUNCATED - 150000 chars omitted out of 200000 total\].*\n\nx{30000}$/);
});

test('a smaller setting than the environment keeps still holds', async (t) => {
  const { terminal } = makeBench(t, { services: { settings: { tool_output: { max_bytes: 100 } } } });
  const output: string = (await terminal({ command: 'seq 1000' }))['output'];
  assert.ok(output.length < 250);
  assert.match(output, /OUTPUT TRUNCATED - 3793 chars omitted out of 3893 total/);
});

test('control sequences and surrounding space go, secrets are masked, also where a colour splits them', async (t) => {
  const { terminal } = makeBench(t);
  const command = String.raw`printf '\n \033[31mred\033[0m hun\033[1mter2 \n\n'`;
  assert.equal((await terminal({ command }))['output'], 'red ***');
});

test('workdir holds for one call, and is refused when a shell could read more than a name in it', async (t) => {
  const { terminal, directory } = makeBench(t);
  mkdirSync(join(directory, 'süb dir'));
  assert.equal((await terminal({ command: 'pwd', workdir: 'süb dir' }))['output'], join(directory, 'süb dir'));
  assert.equal((await terminal({ command: 'pwd', workdir: '~' }))['output'], directory);
  assert.equal((await terminal({ command: 'pwd' }))['output'], directory);
  for (const workdir of ['/tmp; id', '$(id)', '`id`', '/tmp\nid', 'a|b', "it's", 'a&b', '']) {
    const result = await terminal({ command: 'pwd', workdir });
    assert.deepEqual([result['status'], result['exit_code'], result['output']], ['blocked', -1, ''], workdir);
  }
});

test('a setting that cannot be read is named instead of running anything', async (t) => {
  const configProblems = [{ variable: 'TERMINAL_TIMEOUT', message: '"5m" is not a number' }];
  const { terminal } = makeBench(t, { services: { configProblems } });
  const result = await terminal({ command: 'echo no' });
  const error = 'TERMINAL_TIMEOUT: "5m" is not a number';
  assert.deepEqual(result, { output: '', exit_code: -1, error, status: 'error' });
});

test('force is no parameter', async (t) => {
  const { terminal } = makeBench(t);
  assert.equal((await terminal({ command: 'echo hi', force: true }))['output'], 'hi');
  assert.doesNotMatch(JSON.stringify(terminalTool.schema), /force/);
});

test('a background start tells which notices will come: of two kinds the end, and none where nobody hears them', async (t) => {
  const bench = makeBench(t);
  const start = async (more: object) => {
    const {
      output: _1,
      session_id: _2,
      pid: _3,
      exit_code: _4,
      error: _5,
      ...told
    } = await bench.terminal({
      command: 'true',
      background: true,
      ...more,
    });
    return told;
  };
  const unheard = await start({ notify_on_complete: true });
  assert.equal(unheard['notify_on_complete'], false);
  assert.match(String(unheard['notify_unsupported']), /process \(poll, wait\)/);
  bench.services.processes.onNotice(() => undefined);
  assert.deepEqual(await start({ notify_on_complete: true }), { notify_on_complete: true });
  assert.deepEqual(await start({ watch_patterns: ['ready'] }), { watch_patterns: ['ready'] });
  const both = await start({ notify_on_complete: true, watch_patterns: ['ready'] });
  assert.match(String(both['watch_patterns_ignored']), /told of the end, once/);
  assert.deepEqual(Object.keys(await start({ pty: true })), ['hint']);
  const token = await start({ pty: true, command: 'gh auth login --with-token' });
  assert.match(String(token['pty_note']), /without a terminal/);
});

test('what a person was asked about and approved is told with the result', async (t) => {
  const { services, directory, terminal } = makeBench(t);
  mkdirSync(join(directory, 'old'));
  const asked = { human: person('once') };
  const run = async (args: JsonObject) => jsonOf(await runTool(terminalTool, args, services, asked));
  assert.match(JSON.stringify((await run({ command: 'rm -rf old' }))['approval']), /approved it: .*delete/);
  assert.equal((await run({ command: 'echo hi' }))['approval'], undefined);
  assert.match(JSON.stringify((await run({ command: 'rm -rf old', background: true }))['approval']), /approved it/);
  assert.equal((await terminal({ command: 'rm -rf old' }))['approval'], undefined, 'nobody was asked');
  await services.processes.close();
});

test('a check of the project is named with its result, and no other command', async (t) => {
  const { directory, terminal } = makeBench(t);
  const project = join(directory, 'project');
  mkdirSync(project);
  await writeFile(join(project, 'package.json'), '{"scripts":{"test":"true"}}');
  await writeFile(join(project, 'package-lock.json'), '{}');
  const evidenceOf = async (command: string) =>
    (await terminal({ command, workdir: project }))['verification_evidence'];
  const full = { kind: 'test', scope: 'full', canonical_command: 'npm run test' };
  assert.deepEqual(await evidenceOf('npm() { true; }; npm run test'), { status: 'passed', ...full });
  assert.deepEqual(await evidenceOf('npm() { false; }; npm run test'), { status: 'failed', ...full });
  assert.equal(await evidenceOf('ls'), undefined);
});

test('a background start tells id and pid, and which arguments it changed or does not use', async (t) => {
  const { terminal, services } = makeBench(t);
  const result = await terminal({ command: 'sleep 100', background: true, timeout: 9 });
  assert.match(result['session_id'], /^proc_[0-9a-f]{12}$/);
  assert.equal(typeof result['pid'], 'number');
  assert.deepEqual([result['output'], result['exit_code'], result['error']], ['Background process started', 0, null]);
  assert.match(result['timeout_note'], /foreground/);
  assert.deepEqual(Object.keys(await terminal({ command: 'true', background: true })), [
    'output',
    'session_id',
    'pid',
    'exit_code',
    'error',
    'hint',
  ]);
  await services.processes.close();
});

test('an environment that fails is tried again; a failure that needs a person is told at once', async (t) => {
  let failures = 1;
  const flaky = makeBench(t, {
    environment: (real) => ({
      ...real,
      kind: real.kind,
      cwd: real.cwd,
      files: real.files,
      run: (command, options) => (failures-- > 0 ? Promise.reject(new Error('no fork')) : real.run(command, options)),
    }),
  });
  assert.equal((await flaky.terminal({ command: 'echo hi' }))['output'], 'hi');
  let calls = 0;
  const closed = makeBench(t, {
    environment: (real) => ({
      ...real,
      kind: real.kind,
      cwd: real.cwd,
      files: real.files,
      run: () => {
        calls++;
        return Promise.reject(new UserError('docker is gone (hunter2)'));
      },
    }),
  });
  const result = await closed.terminal({ command: 'echo hi' });
  assert.deepEqual([result['status'], result['error'], calls], ['error', 'docker is gone (***)', 1]);
});

test('the surface sees output while a command runs, plain and without secrets', async (t) => {
  const { terminal, shown } = makeBench(t);
  await terminal({ command: String.raw`printf '\033[1mhunter2\033[0m working\n'; sleep 0.5` });
  assert.deepEqual(shown, ['*** working\n']);
});

test('a command that fails is marked as failed with its code, and shows it', async (t) => {
  const { terminal, outcomes } = makeBench(t);
  await terminal({ command: 'exit 3' });
  await terminal({ command: 'true' });
  assert.deepEqual(
    outcomes.map(({ isError, details }) => [isError, details?.exitCode]),
    [
      [true, 3],
      [false, 0],
    ],
  );
  const prepared = terminalTool.prepare({ command: 'x' });
  assert.ok('render' in prepared);
  assert.deepEqual(
    outcomes.map((outcome) => prepared.render(outcome)),
    [{ note: 'exit 3' }, {}],
  );
});

test('what a program brought is told, and a file that it wrote carries it into whatever reads the file', async (t) => {
  const outsideRuns = new Runs();
  const bench = makeBench(t, { services: { outsideRuns } });
  const sourcesOf = async (command: string, background = false) => {
    const started = await bench.terminal({ command, background });
    if (background) await bench.process({ action: 'wait', session_id: started['session_id'] });
    return bench.outcomes.at(-1)?.sources;
  };
  const own = { from: 'tool', name: 'terminal' };
  await writeFile(join(bench.directory, 'own.txt'), 'mine');
  const file = (name: string) => ({ from: 'file', name: join(bench.directory, name) });
  assert.deepEqual(await sourcesOf('cat own.txt | wc -l'), [own, file('own.txt')]);
  assert.deepEqual(outsideRuns.all, []);
  const program = { from: 'program', name: 'fetch.sh' };
  await writeFile(join(bench.directory, 'fetch.sh'), 'echo page > page.txt', { mode: 0o755 });
  assert.deepEqual(await sourcesOf('./fetch.sh'), [program]);
  assert.deepEqual(
    outsideRuns.all.map(({ endedAt }) => endedAt !== undefined),
    [true],
  );
  assert.deepEqual(await sourcesOf('cat page.txt'), [own, program, file('page.txt')]);
  assert.deepEqual(await sourcesOf('cp page.txt copy.txt'), [own, program]);
  const read = await runTool(readFileTool, { path: join(bench.directory, 'copy.txt') }, bench.services);
  assert.deepEqual(read.sources, [program, { from: 'file', name: join(bench.directory, 'copy.txt') }]);
  const search = await runTool(searchFilesTool, { pattern: 'page', path: bench.directory }, bench.services);
  assert.ok(search.sources?.some(({ from }) => from === 'program'));
  const waited = await sourcesOf('./fetch.sh', true);
  assert.deepEqual(waited, [{ from: 'tool', name: 'process' }, program]);
  assert.deepEqual(outsideRuns.all.map(({ endedAt }) => endedAt !== undefined).includes(false), false);
});

/** What a session store keeps of programs that brought text. */
class Runs implements OutsideRuns {
  readonly all: { readonly source: Source; readonly from: number; endedAt?: number }[] = [];

  begin(source: Source): Promise<number> {
    return Promise.resolve(this.all.push({ source, from: Date.now() }) - 1);
  }

  end(run: number): Promise<void> {
    const found = this.all[run];
    if (found !== undefined) found.endedAt = Date.now();
    return Promise.resolve();
  }

  during(changedAtMs: number): Promise<Source | undefined> {
    // Like the store, because the system stamps files with a clock that is some milliseconds behind.
    const slack = 2000;
    const at = (run: (typeof this.all)[number]) =>
      run.from - slack <= changedAtMs && changedAtMs <= (run.endedAt ?? Infinity) + slack;
    return Promise.resolve(this.all.find(at)?.source);
  }
}

test('an exit code that is an answer is explained', async (t) => {
  const { terminal, outcomes } = makeBench(t);
  const grep = await terminal({ command: 'echo a > f; grep zz f' });
  assert.deepEqual([grep['exit_code'], grep['exit_code_meaning']], [1, 'no line matched']);
  assert.equal((await terminal({ command: 'test -f ready' }))['exit_code_meaning'], 'the condition is false');
  assert.equal((await terminal({ command: 'false' }))['exit_code_meaning'], undefined);
  assert.deepEqual(
    outcomes.map(({ details }) => details?.awaits),
    [undefined, true, undefined],
  );
});
