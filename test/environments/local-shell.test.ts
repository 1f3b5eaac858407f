/** Commands in the persistent shell of the local environment. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { startShell } from '../../src/environments/local/shell-session.ts';
import { makeDirectory, makeWorkplace } from './support.ts';

test('output comes back exactly, with the exit code of the last command', async (t) => {
  const { run } = makeWorkplace(t);
  const result = await run('printf a; printf b >&2; false');
  assert.deepEqual(result, { output: 'ab', totalChars: 2, exitCode: 1, ended: 'exit' });
});

test('directory, exports, variables, functions and aliases are kept between commands', async (t) => {
  const { run, environment } = makeWorkplace(t);
  await run(`cd /usr; export KEPT='a "b" $c'; plain=1; greet() { echo "hi $1"; }; alias twice='greet greet;greet'`);
  assert.equal(
    (await run('pwd; echo "$KEPT $plain"; greet x; twice y')).output,
    '/usr\na "b" $c 1\nhi x\nhi greet\nhi y\n',
  );
  assert.equal(environment.cwd, '/usr');
});

test('exit ends the command with its status; directory, exports and functions go on', async (t) => {
  const { run } = makeWorkplace(t);
  await run('export A=1; f() { echo f; }');
  const exit = await run('cd /usr; printf a; exit 3; echo never');
  assert.deepEqual([exit.output, exit.exitCode, exit.note], ['a', 3, undefined]);
  assert.equal((await run('pwd; echo $A; f')).output, '/usr\n1\nf\n');
});

test('a here-document needs no line after its end, and one without end is no disaster', async (t) => {
  const { run } = makeWorkplace(t);
  assert.equal((await run("cat <<'E'\nhi\nE")).output, 'hi\n');
  assert.match((await run("cat <<'E'\nhi")).output, /hi\n$/);
  assert.equal((await run('echo next')).output, 'next\n');
});

test('a syntax error is a result, and the shell lives on', async (t) => {
  const { run } = makeWorkplace(t);
  await run('x=kept');
  for (const broken of ['echo "open', "echo 'open", 'if true', 'done', '(', 'echo )', 'case x in']) {
    const result = await run(broken);
    assert.notEqual(result.exitCode, 0, broken);
    assert.match(result.output, /syntax error|unexpected/, broken);
  }
  assert.equal((await run('echo $x')).output, 'kept\n');
});

test('text reaches the shell byte for byte, whatever it holds', async (t) => {
  const { run } = makeWorkplace(t);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (text) => {
      const safe = text.replaceAll('\0', '');
      const result = await run(`printf %s '${safe.replaceAll("'", `'\\''`)}'`);
      assert.equal(result.output, safe);
    }),
    { numRuns: 60 },
  );
});

test('standard input is empty unless given, and then it is exact', async (t) => {
  const { run } = makeWorkplace(t);
  assert.equal((await run('cat; read x; echo "got:$x"')).output, 'got:\n');
  const input = 'line\n'.repeat(20_000);
  await run('export SEEN=1; here() { echo here; }');
  const counted = await run('wc -c; echo $SEEN', { stdin: input });
  assert.equal(counted.output, `${input.length}\n1\n`);
  assert.equal((await run('cd /usr', { stdin: input })).exitCode, 0);
  assert.equal((await run('pwd; here')).output, '/usr\nhere\n', 'the next command is where that one ended');
});

test('/dev/stdout, /dev/stderr and process substitution work', async (t) => {
  const { run } = makeWorkplace(t);
  assert.equal((await run('echo a >/dev/stdout; echo b >/dev/stderr; cat <(echo c)')).output, 'a\nb\nc\n');
});

test('options, redirections and traps of one command neither leak our own text nor hurt the next', async (t) => {
  const { run } = makeWorkplace(t);
  assert.equal((await run('set -xv; echo a')).output, '++ echo a\na\n');
  assert.equal((await run('echo b')).output, 'b\n');
  assert.equal((await run('set -exuo pipefail; false')).output, '++ false\n');
  assert.equal((await run('echo "[$UNSET]"; false | true')).exitCode, 0);
  assert.equal((await run('exec >/dev/null 2>&1; echo lost')).output, '');
  assert.equal((await run('echo c')).output, 'c\n');
  assert.equal((await run("trap 'echo bye' EXIT; exit 4")).exitCode, 4);
  assert.equal((await run('echo d')).output, 'd\n');
});

test('an overridden cd, printf or echo does not confuse the shell', async (t) => {
  const { run, environment } = makeWorkplace(t);
  await run(
    'cd() { builtin cd "$@" && echo moved; }; printf() { echo no; }; echo() { builtin echo no; }; export() { :; }',
  );
  await run('cd /usr');
  assert.equal(environment.cwd, '/usr');
  assert.equal((await run('pwd')).output, '/usr\n');
});

test('a command that replaces or kills the shell ends, and the next one gets a new shell in the same place', async (t) => {
  const { run } = makeWorkplace(t);
  await run('cd /usr');
  assert.deepEqual([(await run('exec printf done')).output, (await run('pwd')).output], ['done', '/usr\n']);
  assert.equal((await run('echo before; kill -9 $$')).exitCode, 137);
  assert.equal((await run('pwd')).output, '/usr\n');
});

test('break and return at the top do not leave the wrapper', async (t) => {
  const { run } = makeWorkplace(t);
  await run('x=1; break; continue; return 3');
  assert.equal((await run('echo $x')).output, '1\n');
});

test('a directory for one command does not move the session', async (t) => {
  const { run, environment, directory } = makeWorkplace(t);
  assert.equal((await run('pwd; cd /', { cwd: '/usr' })).output, '/usr\n');
  assert.equal(environment.cwd, directory);
  assert.equal((await run('pwd')).output, `${directory}\n`);
  mkdirSync(join(directory, "it's here"));
  assert.equal((await run('pwd', { cwd: "it's here" })).output, `${join(directory, "it's here")}\n`);
});

test('a missing directory is told and nothing runs; a removed one falls back to its parent', async (t) => {
  const { run, directory } = makeWorkplace(t);
  const missing = await run('touch ran', { cwd: join(directory, 'none') });
  assert.equal(missing.exitCode, 1);
  assert.match(missing.output, /no directory .*none; the command was not run/);
  await run('mkdir -p a/b && cd a/b');
  rmSync(join(directory, 'a'), { recursive: true });
  const removed = await run('touch ran');
  assert.equal(removed.exitCode, 1);
  assert.match(removed.output, /no longer exists; the command was not run/);
  assert.equal((await run('pwd; ls')).output, `${directory}\n`);
});

test('commands given at once run one after another', async (t) => {
  const { run } = makeWorkplace(t);
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  await Promise.all(numbers.map((number) => run(`x="$x ${number}"; sleep 0.002`)));
  assert.equal((await run('echo $x')).output, `${numbers.join(' ')}\n`);
});

test('a process left in the background neither holds the call nor dies with it', async (t) => {
  const { run } = makeWorkplace(t);
  const { output } = await run('sleep 100 & echo $!');
  assert.equal((await run(`kill -0 ${output.trim()} && echo lives`)).output, 'lives\n');
  assert.equal((await run('sleep 100 & disown; exit 2')).exitCode, 2);
});

test('names of the session and the home are visible, and a poor PATH is completed', async (t) => {
  const home = makeDirectory(t);
  const { run } = makeWorkplace(t, { env: { HOME: home, PATH: '/nowhere' }, homePath: '/h' });
  const { output } = await run(
    'echo $HERMES_SESSION_ID $HERMES_HOME; ls / >/dev/null && echo found; env | grep -c SECRET',
  );
  assert.equal(output, 'session-1 /h\nfound\n0\n');
});

test('start-up files are read; one that ends or replaces the shell is left out with a note', async (t) => {
  const good = makeDirectory(t);
  writeFileSync(join(good, '.bashrc'), 'echo noise; alias hello="echo hi"; export FROM_RC=1\n');
  const first = makeWorkplace(t, { env: { HOME: good, PATH: process.env['PATH'] } });
  assert.equal((await first.run('hello $FROM_RC')).output, 'hi 1\n');
  const bad = makeDirectory(t);
  writeFileSync(join(bad, '.bash_profile'), 'exec true\n');
  const second = makeWorkplace(t, { env: { HOME: bad, PATH: process.env['PATH'] } });
  const result = await second.run('echo alive');
  assert.equal(result.output, 'alive\n');
  assert.match(result.note ?? '', /start-up files/);
  assert.equal((await second.run('true')).note, undefined);
  const own = makeWorkplace(t, { env: { HOME: good, PATH: process.env['PATH'] }, autoSourceBashrc: false });
  assert.equal((await own.run('echo "[$FROM_RC]"')).output, '[]\n');
});

test('a POSIX shell without any of bash\u2019s extras runs commands as well', async (t) => {
  const directory = makeDirectory(t);
  const shell = await startShell({
    program: { path: '/bin/dash', dialect: 'posix' },
    env: { PATH: '/usr/bin:/bin', HOME: directory },
    fixed: { FIXED: 'yes' },
    mark: 'NO_SUCH_MARK=1',
    cwd: directory,
    beginning: { files: [] },
    state: { definitions: '', exports: '' },
    scratch: directory,
    onStarted: () => undefined,
    onEnded: () => undefined,
  });
  t.after(() => shell.release());
  const run = async (command: string): Promise<[string, number]> => {
    let output = '';
    const { status } = await shell.run(command, {
      cwd: undefined,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      onBytes: (bytes) => (output += bytes.toString()),
    });
    return [output, status];
  };
  assert.deepEqual(await run('pwd; echo $FIXED; export A=1; cat'), [`${directory}\nyes\n`, 0]);
  assert.deepEqual(await run('cd /usr; set -e; echo $A'), ['1\n', 0]);
  assert.deepEqual(await run('pwd; exit 3'), ['/usr\n', 3]);
  assert.match((await shell.latestState()).exports, /export A='1'/);
  assert.equal(shell.alive, false);
});

test('after close nothing runs any more', async (t) => {
  const { run, environment } = makeWorkplace(t);
  await run('true');
  await environment.close();
  await assert.rejects(run('true'), /closed/);
});

test('variables that are provided later reach the shell that lives, its successors, programs and the background', async (t) => {
  const { run, environment } = makeWorkplace(t);
  const value = 'it\'s "$(date)" `id`\n$HOME \\';
  await run('kept=1; export OTHER=2');
  assert.equal((await run('printf "[$GIVEN_KEY]"')).output, '[]');
  environment.provide({ GIVEN_KEY: value });
  environment.provide({ SECOND: 'b' });
  const script = 'printf %s "$GIVEN_KEY$SECOND"';
  assert.equal((await run(script)).output, `${value}b`);
  assert.equal((await run(`sh -c '${script}'`)).output, `${value}b`, 'it is exported');
  assert.equal((await run('echo $kept$OTHER')).output, '12\n');
  await run('exit 0');
  assert.equal((await run(script)).output, `${value}b`, 'also in the next shell');
  assert.equal((await run(`cat; ${script}`, { stdin: '-' })).output, `-${value}b`);
  const { signal } = new AbortController();
  const program = await environment.runProgram(['sh', '-c', script], { timeoutMs: 9000, signal, maxOutput: 500 });
  assert.equal(program.output, `${value}b`);
  const background = await environment.spawn(script, { pty: false });
  let output = '';
  background.onOutput((chunk) => (output += chunk));
  await background.exited;
  assert.equal(output, `${value}b`);
});

test('the search path of the caller stays in front where a start-up file sets another', async (t) => {
  const directory = makeDirectory(t);
  writeFileSync(join(directory, '.profile'), 'PATH=/from/profile:/usr/bin:/bin; export PATH\n');
  const env = { HOME: directory, PATH: `${directory}/.venv/bin:/usr/bin` };
  const { run } = makeWorkplace(t, { env });
  assert.equal((await run('echo $PATH')).output, `${directory}/.venv/bin:/usr/bin:/from/profile:/bin\n`);
});

test('a search path to which a start-up file adds keeps its order', async (t) => {
  const directory = makeDirectory(t);
  writeFileSync(join(directory, '.bash_profile'), `PATH="/mine:$OWN"; export PATH\n`);
  const { run } = makeWorkplace(t, { env: { HOME: directory, PATH: '/usr/bin:/bin', OWN: '/usr/bin:/bin' } });
  assert.equal((await run('echo $PATH')).output, '/mine:/usr/bin:/bin\n');
});

test('a working directory that was deleted and made again is the one that later commands run in', async (t) => {
  const { run, directory } = makeWorkplace(t);
  await run('mkdir place; cd place; touch old');
  await run(`rm -r ${directory}/place; mkdir ${directory}/place; touch ${directory}/place/new`);
  assert.equal((await run('ls')).output, 'new\n');
  rmSync(join(directory, 'place'), { recursive: true });
  mkdirSync(join(directory, 'place'));
  assert.deepEqual([(await run('touch here; ls')).output, readdirSync(join(directory, 'place'))], ['here\n', ['here']]);
  assert.equal((await run('cd ..; cd place; cd -')).output, `${directory}\n`);
});
