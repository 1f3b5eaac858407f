/** How a sandbox begins, is shared and ends, with all that runs in it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { living, uniqueSleep, until } from '../../support.ts';
import { closed, makeMachine, open, secret, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();

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

/** Other tests and other programs have sandboxes too: ours are started by us. */
function isChild(pid: string): boolean {
  const parent = (of: string): string => /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${of}/status`, 'utf8'))?.[1] ?? '0';
  return parent(parent(pid)) === String(process.pid);
}
