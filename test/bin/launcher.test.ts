/** The launcher as a process, on the Node that runs these tests and on an older one where the machine has it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundledName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const bundled = join(root, 'node_modules', bundledName);
const oldNode = findOlderNode();
const needsOldNode = oldNode === undefined ? 'no Node older than 24 on this machine' : false;
const notLinux = process.platform === 'linux' ? false : 'the heaps are those of Linux';
const needsBothNodes = needsOldNode || (existsSync(bundled) ? false : 'the bundled Node is not installed');

/** Reports what it was given, then does what the first argument says. */
const fakeProgram = `
const [what, value] = process.argv.slice(2);
const seen = { node: process.versions.node.split('.')[0], args: process.argv.slice(2), script: process.argv[1],
  guard: process.env.HERMES_REEXEC ?? null, pid: process.pid };
if (what === 'wait') process.on(value, () => process.exit(7));
process.stdout.write(JSON.stringify(seen) + '\\n');
if (what === 'exit') process.exitCode = Number(value);
if (what === 'die') process.kill(process.pid, value);
if (what === 'die' || what === 'wait') setInterval(() => {}, 1000);
`;

test('--version alone is answered without looking for the program', (t) => {
  const dir = installation(t, {});
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    releaseDate: string;
  };
  for (const args of [
    ['--version'],
    ['-V'],
    ['-p', 'work', '--version'],
    ['--profile=work', '-V'],
    ['-V', '-p', 'x'],
  ]) {
    const run = launch(process.execPath, dir, args);
    assert.equal(run.status, 0);
    const [first, directory, method, node] = run.stdout.split('\n');
    const day = about.releaseDate.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, '$1.$2.$3');
    assert.equal(first, `Hermes Agent v${about.version} (${day})`);
    assert.equal(directory, `Install directory: ${dir}`);
    assert.equal(method, 'Install method: folder');
    assert.equal(node, `Node: ${process.version}`);
  }
});

test('--version beside other words belongs to the program', (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram });
  const run = launch(process.execPath, dir, ['acp', '--version']);
  assert.deepEqual(report(run.stdout).args, ['acp', '--version']);
});

test('a gateway begins with one heap, in the same process, and hands that on to nobody', { skip: notLinux }, (t) => {
  const program = `import { readFileSync } from 'node:fs';
    const given = readFileSync('/proc/self/environ', 'utf8').split('\\0').includes('MALLOC_ARENA_MAX=1');
    const seen = Object.keys(process.env).filter((name) => /MALLOC|ONE_HEAP/.test(name));
    process.stdout.write(JSON.stringify({ given, seen, pid: process.pid, args: process.argv.slice(2) }));`;
  const dir = installation(t, { 'dist/main.js': program });
  const ran = launch(process.execPath, dir, ['-p', 'work', 'gateway', 'run', '--force']);
  assert.deepEqual(JSON.parse(ran.stdout), {
    given: true,
    seen: [],
    pid: ran.pid,
    args: ['-p', 'work', 'gateway', 'run', '--force'],
  });
  assert.equal(ran.stderr, '');
  assert.equal(JSON.parse(launch(process.execPath, dir, ['gateway', 'status']).stdout).given, false);
});

test('an old Node names the Node that hermes would run on', { skip: needsBothNodes }, (t) => {
  const run = launch(String(oldNode), installation(t, {}, { withNode: true }), ['--version']);
  assert.match(run.stdout, /^Node: v24\..* \(bundled\)$/m);
});

test('the build is preferred, HERMES_DEV=1 takes the sources', (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram, 'src/main.ts': `const a: number = 1;${fakeProgram}` });
  assert.equal(report(launch(process.execPath, dir, []).stdout).script, join(dir, 'dist', 'main.js'));
  const fromSources = launch(process.execPath, dir, [], { HERMES_DEV: '1' });
  assert.equal(report(fromSources.stdout).script, join(dir, 'src', 'main.ts'));
});

test('an installation without a program says what is missing', (t) => {
  const run = launch(process.execPath, installation(t, {}), ['chat']);
  assert.equal(run.status, 1);
  assert.match(run.stderr, /dist\/main\.js and src\/main\.ts are both missing\.\n.*npm run build/);
  assert.doesNotMatch(run.stderr, /\n\s+at /);
});

test('a cache directory that cannot be written does not stop or warn', (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram });
  const run = launch(process.execPath, dir, ['exit', '4'], { XDG_CACHE_HOME: '/dev/null/nowhere' });
  assert.equal(run.status, 4);
  assert.equal(run.stderr, '');
});

test('compiled code is kept in the cache directory of the user', (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram });
  const cache = join(dir, 'cache');
  launch(process.execPath, dir, [], { XDG_CACHE_HOME: cache });
  assert.ok(existsSync(join(cache, 'hermes-agent', 'compile')));
});

test('an old Node hands arguments and exit code through', { skip: needsBothNodes }, (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram }, { withNode: true });
  const run = launch(String(oldNode), dir, ['exit', '3', 'two words', '--flag', '']);
  assert.equal(run.status, 3);
  const seen = report(run.stdout);
  assert.equal(seen.node, '24');
  assert.deepEqual(seen.args, ['exit', '3', 'two words', '--flag', '']);
  assert.equal(seen.guard, null);
});

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT'] as const) {
  test(`an old Node passes ${signal} on to the program`, { skip: needsBothNodes }, async (t) => {
    const dir = installation(t, { 'dist/main.js': fakeProgram }, { withNode: true });
    const child = spawn(String(oldNode), [join(dir, 'bin', 'hermes.mjs'), 'wait', signal], {
      env: environment(dir),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // It listens before it reports.
    await firstOutput(child.stdout);
    child.kill(signal);
    const code = await new Promise((resolve) => child.on('exit', resolve));
    assert.equal(code, 7);
  });
}

test('a program killed by a signal makes the launcher die of the same one', { skip: needsBothNodes }, (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram }, { withNode: true });
  for (const signal of ['SIGKILL', 'SIGTERM']) {
    assert.equal(launch(String(oldNode), dir, ['die', signal]).signal, signal);
  }
});

test('an old Node without a newer one says so in two lines', { skip: needsOldNode }, (t) => {
  const run = launch(String(oldNode), installation(t, { 'dist/main.js': fakeProgram }), ['exit', '0']);
  assert.equal(run.status, 1);
  assert.equal(run.stdout, '');
  assert.match(run.stderr, /^hermes needs Node\.js 24 or newer; this is v\d.*\nInstall Node 24.*\n$/);
});

test('HERMES_NODE chooses the Node, and a useless one is reported instead of tried for ever', {
  skip: needsOldNode,
}, (t) => {
  const dir = installation(t, { 'dist/main.js': fakeProgram });
  const good = launch(String(oldNode), dir, ['exit', '5'], { HERMES_NODE: process.execPath });
  assert.equal(good.status, 5);
  const stillOld = launch(String(oldNode), dir, ['exit', '5'], { HERMES_NODE: String(oldNode) });
  assert.equal(stillOld.status, 1);
  assert.match(stillOld.stderr, /needs Node\.js 24 or newer/);
  const missing = launch(String(oldNode), dir, ['exit', '5'], { HERMES_NODE: '/nowhere/node' });
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /could not start \/nowhere\/node/);
});

/** A copy of the launcher in a directory of its own, with the given program files beside it. */
function installation(t: TestContext, files: Record<string, string>, options: { withNode?: boolean } = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-launcher-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(join(root, 'bin'), join(dir, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(dir, 'package.json'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  if (options.withNode === true) {
    mkdirSync(join(dir, 'node_modules'));
    symlinkSync(bundled, join(dir, 'node_modules', bundledName));
  }
  return dir;
}

function launch(node: string, dir: string, args: string[], extra: Record<string, string> = {}) {
  return spawnSync(node, [join(dir, 'bin', 'hermes.mjs'), ...args], {
    env: { ...environment(dir), ...extra },
    encoding: 'utf8',
    timeout: 30_000,
  });
}

function environment(dir: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: dir };
}

function report(stdout: string): { node: string; args: string[]; script: string; guard: string | null } {
  return JSON.parse(stdout.split('\n')[0] ?? '');
}

async function firstOutput(stdout: NodeJS.ReadableStream): Promise<void> {
  for await (const _line of stdout) return;
}

function findOlderNode(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return places
    .map((place) => join(place, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => Number(/^v(\d+)/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout)?.[1]) < 24);
}
