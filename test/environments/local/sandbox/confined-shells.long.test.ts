/** What a confined shell is like for who runs commands in it: state, networks, terminals. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { living, uniqueSleep, until } from '../../support.ts';
import type { Confinement } from '../../../../src/environments/environment.ts';
import { findSystemProgram } from '../../../../src/environments/local/sandbox/programs.ts';
import { closed, makeMachine, open, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();
const noScript = findSystemProgram('script') === undefined && 'there is no program script of util-linux';

test('folder and exported variables pass in both directions', { skip }, async (t) => {
  const { run, outside } = makeMachine(t);
  await outside('export OUT="a b\n\\$x\'\\"" LEFT=1; cd /usr');
  assert.equal((await run('pwd; echo "$OUT|$LEFT"')).output, '/usr\na b\n$x\'"|1\n');
  await run("cd /etc; export IN='c d\n$(touch /tmp/x)`id`'; unset LEFT");
  assert.equal((await outside('pwd; echo "$IN|$LEFT"')).output, '/etc\nc d\n$(touch /tmp/x)`id`|\n');
  await outside('export OUT=new; unset IN');
  assert.equal((await run('echo "$OUT|$IN"')).output, 'new|\n');
});

test('what changes the meaning of words stays inside, and is known to be there until it is taken back', {
  skip,
}, async (t) => {
  const { run, outside, environment } = makeMachine(t);
  const path = (await outside('echo $PATH')).output;
  for (const [alter, restore] of [
    ['export OLD=$PATH PATH=/evil:$PATH', 'export PATH=$OLD'],
    ['ls() { echo evil; }', 'unset -f ls'],
    ['alias ls=evil', 'unalias ls'],
    ['shopt -s globstar', 'shopt -u globstar'],
    ['set -o noclobber', 'set +o noclobber'],
    ['trap "echo evil" USR1', 'trap - USR1'],
    ['export GIT_SSH_COMMAND=evil BASH_ENV=/evil NODE_OPTIONS=--evil', 'unset GIT_SSH_COMMAND BASH_ENV NODE_OPTIONS'],
  ] as const) {
    assert.equal(environment.shellIsAltered, false, alter);
    await run(alter);
    assert.equal(environment.shellIsAltered, true, alter);
    assert.equal((await outside('echo $PATH')).output, path);
    assert.doesNotMatch(
      (await outside('alias; declare -F; set -o; shopt; trap; env | grep -v PATH')).output,
      /evil|(?:noclobber|globstar) +\ton/,
    );
    assert.equal((await run(restore)).exitCode, 0);
  }
  assert.equal(environment.shellIsAltered, false);
});

test('a process in the background tells what it was kept from, by its output and by the door of its network', {
  skip,
}, async (t) => {
  const { environment, home } = makeMachine(t);
  const command = `echo x > ${home}/stolen; curl -sS http://nobody.test/ -o /dev/null; sleep 600`;
  const confinement: Confinement = { network: { allows: () => false } };
  const background = await environment.spawn(command, { pty: false, confinement });
  let output = '';
  background.onOutput((chunk) => (output += chunk));
  await until(() => (background.withheld?.(output).length ?? 0) > 1, 'it was kept from both');
  const kept = background.withheld?.(output).map(({ kind, what }) => `${kind} ${what}`);
  assert.deepEqual(kept?.toSorted(), ['network nobody.test:80', `write ${home}/stolen`]);
  await background.kill();
});

test('a virtual environment that was activated inside works inside, also in background processes', {
  skip,
}, async (t) => {
  const { run, workspace, environment } = makeMachine(t);
  mkdirSync(join(workspace, '.venv/bin'), { recursive: true });
  writeFileSync(join(workspace, '.venv/bin/hello'), '#!/bin/sh\necho from the venv\n', { mode: 0o755 });
  writeFileSync(join(workspace, '.venv/bin/activate'), `PATH="${workspace}/.venv/bin:$PATH"; export PATH\nhash -r\n`);
  await run('source .venv/bin/activate');
  assert.deepEqual([(await run('hello')).output, environment.shellIsAltered], ['from the venv\n', true]);
  const background = await environment.spawn('hello', { pty: false, confinement: open });
  const said: string[] = [];
  background.onOutput((chunk) => said.push(chunk));
  assert.deepEqual([await background.exited, said.join('')], [0, 'from the venv\n']);
});

test('after a deadline a new shell goes on inside with the same state', { skip }, async (t) => {
  const { run } = makeMachine(t);
  const nap = uniqueSleep();
  await run('export KEPT=1; cd /usr');
  const late = await run(`echo before; ${nap}; echo after`, { timeoutMs: 2000 });
  assert.deepEqual([late.exitCode, late.ended, late.output], [124, 'timeout', 'before\n']);
  assert.deepEqual(living(nap), []);
  assert.equal((await run('pwd; echo $KEPT; touch ~/x 2>&1 | grep -c Read-only')).output, '/usr\n1\n1\n');
});

test('behind a gate only those hosts are reached that it lets through, and the others are told', {
  skip,
}, async (t) => {
  const { run, outside } = makeMachine(t);
  // In a process of its own: what this process listens on is the agent's.
  const program = `require('http').createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => server.kill('SIGKILL'));
  const port = Number(await new Promise((resolve) => server.stdout.once('data', resolve)));
  const own = createServer((_request, response) => response.end('mine'));
  await new Promise<void>((resolve) => void own.listen(0, '127.0.0.1', resolve));
  t.after(() => own.close());
  const address = own.address();
  const ownPort = typeof address === 'object' && address !== null ? address.port : 0;
  const confinement: Confinement = { network: { allows: (host) => host === '127.0.0.1' } };
  const fetching = (url: string): string =>
    `${process.execPath} -e 'fetch("${url}").then((r) => r.text().then((text) => console.log(r.status, text)), () => console.log("no"))'`;
  assert.equal((await run(fetching(`http://127.0.0.1:${port}`), { confinement })).output, '200 hello\n');
  const fetchedOwn = await run(fetching(`http://127.0.0.1:${ownPort}`), { confinement });
  assert.ok(!fetchedOwn.output.includes('mine'), 'the ports of the agent are nobody’s to reach');
  const refused = await run(fetching('http://example.org'), { confinement });
  assert.deepEqual(refused.withheld, [{ kind: 'network', what: 'example.org:80' }]);
  assert.equal((await outside('echo "[$http_proxy$HTTPS_PROXY]"')).output, '[]\n');
  assert.equal((await run('echo "[$http_proxy$HTTPS_PROXY]"')).output, '[]\n');
});

test('state goes along when the network of confined commands changes', { skip }, async (t) => {
  const { run } = makeMachine(t);
  await run('export KEPT=1; cd /usr; f() { echo f; }');
  assert.equal((await run('pwd; echo $KEPT; f', { confinement: closed })).output, '/usr\n1\nf\n');
  await run('export KEPT=2', { confinement: closed });
  assert.equal((await run('echo $KEPT; f')).output, '2\nf\n');
});

test('a terminal inside takes input', { skip }, async (t) => {
  const { environment } = makeMachine(t);
  const background = await environment.spawn('test -t 0 && read -r line && echo "got $line"', {
    pty: true,
    confinement: open,
  });
  const said: string[] = [];
  background.onOutput((chunk) => said.push(chunk));
  background.write('hello\n');
  assert.equal(await background.exited, 0);
  assert.match(said.join(''), /got hello/);
});

test('a terminal inside is one for every program: it has a name and a size, it belongs to the session, and Ctrl+C reaches it', {
  skip: skip || noScript,
}, async (t) => {
  const { environment, outside } = makeMachine(t);
  const look = 'tty; stty size; ps -o tty= -p $$; echo "to the terminal" > /dev/tty; [ -t 0 ] && [ -t 1 ] && echo both';
  const background = await environment.spawn(`${look}; trap 'echo interrupted; exit 7' INT; sleep 600 & wait`, {
    pty: true,
    confinement: open,
  });
  let said = '';
  background.onOutput((chunk) => (said += chunk));
  await until(() => said.includes('both'), 'the program has looked at its terminal');
  assert.match(said, /^\/dev\/pts\/\d+\r\n30 120\r\npts\/\d+\s*\r\nto the terminal\r\nboth\r\n/);
  background.write('\u0003');
  assert.equal(await background.exited, 7);
  assert.match(said, /interrupted/);
  const shell = await environment.spawn('echo "$SHELL"', { pty: true, confinement: open });
  let name = '';
  shell.onOutput((chunk) => (name += chunk));
  await shell.exited;
  assert.equal(name.trim(), (await outside('echo "$SHELL"')).output.trim());
});

test('what a program pushes into its own terminal is read inside', { skip: skip || noScript }, async (t) => {
  const { environment, home, workspace } = makeMachine(t);
  const program = `
import fcntl, termios, os, glob
for path in ['/dev/tty', *glob.glob('/proc/[0-9]*/fd/[012]')]:
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        for c in 'echo pushed; touch ${home}/pushed\\n': fcntl.ioctl(fd, termios.TIOCSTI, c.encode())
    except OSError: pass
`;
  writeFileSync(join(workspace, 'push.py'), program);
  const background = await environment.spawn('python3 push.py; read -r -t 1 line; eval "$line"; echo over', {
    pty: true,
    confinement: open,
  });
  let said = '';
  background.onOutput((chunk) => (said += chunk));
  assert.equal(await background.exited, 0);
  assert.match(said, /over/);
  assert.equal(existsSync(join(home, 'pushed')), false);
});
