/** What confined commands are like for who runs them: state, folders, networks, background processes, limits. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { living, makeWorkplace, uniqueSleep, until } from '../../support.ts';
import type { Confinement } from '../../../../src/environments/environment.ts';
import { findSystemProgram } from '../../../../src/environments/local/sandbox/programs.ts';
import { closed, makeMachine, open, secret, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();
const noScript = findSystemProgram('script') === undefined && 'there is no program script of util-linux';

test('confined commands write the workspace, temporary folders and caches, and read the rest', { skip }, async (t) => {
  const { run, home, workspace } = makeMachine(t);
  mkdirSync(join(home, '.cache/ccache'), { recursive: true });
  const wrote = await run(
    'echo a > made.txt && echo b > ~/.cache/ccache/x && f=$(mktemp) && echo c > $f && rm $f; cat ~/notes.txt',
  );
  assert.deepEqual([wrote.exitCode, wrote.output], [0, 'mine\n']);
  assert.equal(readFileSync(join(workspace, 'made.txt'), 'utf8'), 'a\n');
  const git = await run(
    'git add -A && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline | wc -l',
  );
  assert.equal(git.output.trim(), '2');
});

test('what a command was kept from is told with its result, each once', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  const result = await run('touch ~/x ~/x; cat ~/.ssh/id_ed25519; git config a.b c; echo y > ~/.bashrc');
  assert.deepEqual(result.withheld, [
    { kind: 'write', what: join(home, 'x') },
    { kind: 'read', what: join(home, '.ssh/id_ed25519') },
    { kind: 'write', what: join(home, 'project/.git/config') },
    { kind: 'write', what: join(home, '.bashrc') },
  ]);
  assert.equal((await run('ls /nowhere; false')).withheld, undefined);
});

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

test('commands with input are confined too', { skip }, async (t) => {
  const { run } = makeMachine(t);
  const result = await run('cat; cat ~/.netrc; echo x > ~/notes.txt', { stdin: 'from stdin\n' });
  assert.match(result.output, /^from stdin\n.*Read-only file system\n$/s);
});

test('all confined commands of a session share processes and, without a network, a network of their own', {
  skip,
}, async (t) => {
  const { run, environment } = makeMachine(t);
  const server = createServer((_request, response) => response.end(secret));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const fetching = (target: number, tries = 1): string =>
    `${process.execPath} -e 'const go = (left) => fetch("http://127.0.0.1:${target}").then((r) => r.text()).then(console.log, (e) => left > 0 ? setTimeout(go, 50, left - 1) : console.log(e.cause.code)); go(${tries})'`;
  assert.equal((await run(fetching(port))).output, `${secret}\n`);
  assert.equal((await run(fetching(port), { confinement: closed })).output, 'ECONNREFUSED\n');
  const serve = `exec ${process.execPath} -e 'require("http").createServer((q, r) => r.end("mine")).listen(8123)'`;
  const background = await environment.spawn(serve, { pty: false, confinement: closed });
  assert.equal((await run(fetching(8123, 100), { confinement: closed })).output, 'mine\n');
  const unknown = await run(
    `${process.execPath} -e 'fetch("http://example.org").catch((e) => console.log(String(e.cause)))'`,
    { confinement: closed },
  );
  assert.deepEqual(unknown.withheld, [{ kind: 'network', what: 'example.org' }]);
  await run('pkill -f "listen.8123"; true', { confinement: closed });
  assert.notEqual(await background.exited, 0);
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

for (const pty of [true, false]) {
  test(`a confined background process ${pty ? 'in a terminal ' : ''}is ended with its whole tree`, {
    skip,
  }, async (t) => {
    const { environment, run } = makeMachine(t);
    const [first, second] = [uniqueSleep(), uniqueSleep()];
    const background = await environment.spawn(`cat ~/.netrc; (setsid ${first} &); ${second}; true`, {
      pty,
      confinement: open,
    });
    const said: string[] = [];
    background.onOutput((chunk) => said.push(chunk));
    await until(() => living(first).length > 0 && living(second).length > 0, 'both run');
    assert.match((await run(`ps ax | grep -c '[s]${second.slice(1)}'`)).output, /^[1-9]/);
    await background.kill();
    assert.deepEqual([living(first), living(second), said.join('')], [[], [], '']);
    assert.notEqual(await background.exited, 0);
    assert.equal((await run('echo still here')).output, 'still here\n');
  });
}

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

test('settings that a command outside has replaced are kept from commands inside as before', { skip }, async (t) => {
  const { run, outside, home } = makeMachine(t);
  await run('true');
  await outside(
    'git config user.name outside; mkdir -p ~/.aws2 && rm -rf ~/.aws && mv ~/.aws2 ~/.aws && echo key > ~/.aws/credentials',
  );
  const result = await run('echo evil >> .git/config; cat ~/.aws/credentials');
  assert.deepEqual(result.withheld, [
    { kind: 'write', what: join(home, 'project/.git/config') },
    { kind: 'read', what: join(home, '.aws/credentials') },
  ]);
  assert.doesNotMatch(readFileSync(join(home, 'project/.git/config'), 'utf8'), /evil/);
});

test('rules for agents are written freely, and stay as they are behind a gate', { skip }, async (t) => {
  const { run, workspace } = makeMachine(t);
  const rules = (): string => readFileSync(join(workspace, 'AGENTS.md'), 'utf8');
  assert.equal((await run('echo free > AGENTS.md.new && mv AGENTS.md.new AGENTS.md')).exitCode, 0);
  assert.equal(rules(), 'free\n');
  const confinement: Confinement = { network: { allows: () => true } };
  const kept = await run('echo evil > AGENTS.md; mv AGENTS.md x; ln -sf /tmp/evil AGENTS.md; rm -f AGENTS.md', {
    confinement,
  });
  assert.equal(rules(), 'free\n');
  assert.deepEqual(kept.withheld, [{ kind: 'write', what: join(workspace, 'AGENTS.md') }]);
});

test('git is trusted in a repository that was kept from confined commands, and in none that they have made', {
  skip,
}, async (t) => {
  const { run, environment, home, workspace } = makeMachine(t);
  assert.equal(await environment.keepsGitSettings(join(workspace, 'made')), true);
  await run(
    'mkdir -p made deep/er && git init -q made; mkdir -p bare/objects && echo ref > bare/HEAD && echo "[core]" > bare/config',
  );
  for (const [folder, kept] of [
    [workspace, true],
    [join(workspace, 'deep/er'), true],
    [join(home, 'other'), true],
    [join(workspace, 'made'), false],
    [join(workspace, 'bare'), false],
  ] as const) {
    assert.equal(await environment.keepsGitSettings(folder), kept, folder);
  }
  await run('echo /tmp/evil > .git/commondir');
  assert.equal(await environment.keepsGitSettings(workspace), false);
});

test('secrets that come to be while a sandbox runs are hidden from it', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  rmSync(join(home, '.ssh'), { recursive: true });
  rmSync(join(home, '.netrc'));
  await run('true');
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id_rsa'), secret);
  writeFileSync(join(home, '.netrc'), secret);
  assert.doesNotMatch((await run('cat ~/.ssh/id_rsa ~/.netrc')).output, new RegExp(secret));
});

test('secrets behind a symbolic link are hidden where they lie', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  mkdirSync(join(home, 'vault'));
  writeFileSync(join(home, 'vault/key'), secret);
  rmSync(join(home, '.ssh'), { recursive: true });
  symlinkSync(join(home, 'vault'), join(home, '.ssh'));
  assert.doesNotMatch((await run('cat ~/.ssh/key ~/vault/key')).output, new RegExp(secret));
});

test('a sandbox that was killed is followed by another one', { skip }, async (t) => {
  const { run } = makeMachine(t);
  await run('export KEPT=1');
  const [first] = living('echo inside; exec').filter(isChild);
  assert.ok(first !== undefined);
  process.kill(Number(first), 'SIGKILL');
  await until(() => !existsSync(`/proc/${first}`), 'it is gone');
  const again = await run('echo $KEPT; touch ~/x');
  assert.match(again.output, /^1\n.*Read-only/s);
});

test('commands that come at once share one sandbox', { skip }, async (t) => {
  const { environment, run } = makeMachine(t);
  const started = await Promise.all([
    run('echo $$'),
    environment.spawn('sleep 600', { pty: false, confinement: open }),
    environment.spawn('sleep 600', { pty: false, confinement: open }),
  ]);
  assert.equal(started[0].exitCode, 0);
  assert.equal(living('echo inside; exec').filter(isChild).length, 1);
});

test('what is kept anew does not lay open what lies hidden in it', { skip }, async (t) => {
  const { run, home, workspace } = makeMachine(t);
  mkdirSync(join(workspace, '.vscode/deep'), { recursive: true });
  await run('true');
  renameSync(join(workspace, '.vscode'), join(workspace, 'old'));
  mkdirSync(join(workspace, '.vscode'));
  writeFileSync(join(workspace, '.vscode/tasks.json'), 'new');
  const result = await run('echo evil > .vscode/tasks.json; cat ~/.ssh/id_ed25519; cat .vscode/tasks.json');
  assert.doesNotMatch(result.output, new RegExp(secret));
  assert.match(result.output, /new$/);
  assert.ok(existsSync(join(home, '.ssh/id_ed25519')));
});

test('close leaves nothing of a sandbox behind', { skip }, async (t) => {
  const { environment, run } = makeMachine(t);
  const nap = uniqueSleep();
  await run(`(setsid ${nap} &)`);
  const mine = living('echo inside; exec').filter(isChild);
  assert.equal(mine.length, 1);
  await environment.close();
  await until(() => living(nap).length === 0 && mine.every((pid) => !existsSync(`/proc/${pid}`)), 'all is gone');
});

test('when our process is killed outright, its sandbox and everything in it die too', { skip }, async (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const [plain, detached, background, terminal] = [uniqueSleep(), uniqueSleep(), uniqueSleep(), uniqueSleep()];
  const support = new URL('support.ts', import.meta.url).href;
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { open, openMachine } from ${JSON.stringify(support)};
       const { environment, run } = openMachine(${JSON.stringify(home)}, ${JSON.stringify(home)});
       await environment.spawn(${JSON.stringify(background)}, { pty: false, confinement: open });
       await environment.spawn(${JSON.stringify(terminal)}, { pty: true, confinement: open });
       await run(${JSON.stringify(`(setsid env -i ${detached} &)`)});
       await run(${JSON.stringify(plain)}, { timeoutMs: 60_000 });`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  t.after(() => parent.kill('SIGKILL'));
  const naps = [plain, detached, background, terminal];
  // The parent's own command line holds the texts as well.
  await until(() => naps.every((nap) => living(nap).length >= 2), 'all four run', 20_000);
  parent.kill('SIGKILL');
  await until(() => naps.every((nap) => living(nap).length === 0), 'all four are gone');
});

test('open files that this program was started with lead nobody out of the sandbox', { skip }, async (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/key'), secret);
  const root = openSync('/', 'r');
  t.after(() => closeSync(root));
  const support = new URL('support.ts', import.meta.url).href;
  const look = `for p in self 1 $$; do for f in /proc/$p/fd/*; do cat $f${home}/.ssh/key; done; done 2>/dev/null; ls /proc/self/fd | wc -l`;
  const program = `
    import { open, openMachine } from ${JSON.stringify(support)};
    const { environment, run } = openMachine(${JSON.stringify(home)}, ${JSON.stringify(home)});
    const text = ${JSON.stringify(look)};
    console.log((await run(text)).output, (await run(text, { stdin: 'x' })).output);
    for (const pty of [true, false]) {
      const background = await environment.spawn(text, { pty, confinement: open });
      background.onOutput((chunk) => console.log(chunk));
      await background.exited;
    }
    await environment.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    // Those with low numbers Node closes itself.
    stdio: ['ignore', 'pipe', 'inherit', ...Array.from({ length: 37 }, () => 'ignore' as const), root],
  });
  const said: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await new Promise((resolve) => child.once('close', resolve));
  assert.doesNotMatch(said.join(''), new RegExp(secret));
  assert.equal(said.join('').match(/\d+/g)?.length, 4);
});

test('private folders of others that come and go keep no sandbox from starting', { skip }, async (t) => {
  const churn = spawn('/bin/sh', ['-c', 'while :; do d=$(mktemp -d /tmp/ssh-churnXXXXXX); rmdir "$d"; done'], {
    stdio: 'ignore',
  });
  t.after(() => churn.kill('SIGKILL'));
  for (let round = 0; round < 3; round += 1) {
    const { run, environment } = makeMachine(t);
    for (let command = 0; command < 5; command += 1) assert.equal((await run('echo $$')).exitCode, 0);
    assert.equal(environment.shellIsAltered, false);
  }
});

test('an environment without a sandbox refuses confined commands and says why', async (t) => {
  const { environment, run, directory } = makeWorkplace(t);
  assert.match((await environment.confinementProblem()) ?? '', /terminal\.sandbox/);
  await assert.rejects(run('touch ran', { confinement: open }), /was not run: it cannot be confined/);
  await assert.rejects(environment.spawn('touch ran', { pty: false, confinement: open }), /cannot be confined/);
  assert.equal(existsSync(join(directory, 'ran')), false);
});

/** Other tests and other programs have sandboxes too: ours are started by us. */
function isChild(pid: string): boolean {
  const parent = (of: string): string => /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1] ?? '0';
  return parent(parent(pid)) === String(process.pid);
}
