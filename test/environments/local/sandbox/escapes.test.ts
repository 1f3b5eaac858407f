/** Nothing gets out: every attempt of the table, and the world outside afterwards. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { escapes } from './escapes.ts';
import { makeMachine, secret, type SmallMachine, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();

test('every known way out of the sandbox ends inside', { skip }, async (t) => {
  const machine = makeMachine(t);
  const { home, workspace } = machine;
  const { canary, sock, connections } = await makeNeighbours(t, '/tmp/any-early-');
  await machine.run('true');
  const late = await makeNeighbours(t, '/tmp/any-late-');
  const inHome = await makeNeighbours(t, join(home, '.local/share/terminal-'));
  const before = worldOf(machine);
  const names = {
    HOME: home,
    WS: workspace,
    NODE: process.execPath,
    PID: `${canary.pid}`,
    SOCK: sock,
    LATE: late.sock,
    MINE: inHome.sock,
  };
  const setting = Object.entries(names).map(([name, value]) => `${name}='${value}'`);

  for (const [kind, commands] of Object.entries(escapes)) {
    await t.test(kind, async () => {
      for (const command of commands) {
        const { output } = await machine.run(`export ${setting.join(' ')}\n${command}`, { timeoutMs: 20_000 });
        assert.ok(!output.includes(secret), `${command}\n${output}`);
        assert.deepEqual(changes(before, worldOf(machine)), [], command);
        assert.equal(canary.exitCode ?? canary.signalCode, null, command);
      }
    });
  }
  assert.deepEqual([connections(), late.connections(), inHome.connections()], [0, 0, 0]);
  // What a forged report exports is text like any other.
  const { output } = await machine.outside('unset EVIL; type git; env; set -o; alias; declare -F; trap');
  assert.match(output, /^git is \/.*\n/);
  assert.ok(!/evil|new-file/.test(output), output);
  assert.deepEqual(changes(before, worldOf(machine)), []);
});

test('the table holds at least sixty attempts', () => {
  assert.ok(Object.values(escapes).flat().length >= 60);
});

/** A process with something in its environment, and a server on a socket in a private folder for temporary files. */
async function makeNeighbours(t: TestContext, prefix: string) {
  const canary = spawn('/bin/sh', ['-c', 'sleep 600; : hermes-canary'], { env: { CANARY: secret }, stdio: 'ignore' });
  t.after(() => canary.kill('SIGKILL'));
  const folder = mkdtempSync(prefix);
  mkdirSync(join(folder, 'deep'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  t.after(() => server.close());
  const sock = join(folder, 'agent.sock');
  await new Promise<void>((resolve) => void server.listen(sock, resolve));
  return { canary, sock, connections: () => count };
}

/** All that must stay: the home without the free part of the workspace, and what attempts would leave elsewhere. */
function worldOf({ home, workspace }: SmallMachine): readonly string[] {
  const elsewhere = [
    '/etc',
    '/usr/bin',
    '/usr/local/bin',
    '/opt',
    '/root',
    '/etc/cron.d',
    '/var/spool/cron',
    '/var/lib',
  ]
    .flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
    .filter((path) => path.includes('hermes-escape'));
  const kept = ['.git/config', '.git/hooks', '.envrc', '.vscode', '.husky', 'AGENTS.md'];
  return [
    ...describe(home, (path) => path !== workspace && path !== join(home, '.cache') && path !== join(home, '.npm')),
    ...kept.flatMap((name) => describe(join(workspace, name), () => true)),
    ...elsewhere,
    hostname(),
    readFileSync('/proc/sys/kernel/core_pattern', 'utf8'),
  ];
}

function changes(before: readonly string[], after: readonly string[]): readonly string[] {
  return [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))];
}

function describe(path: string, isWanted: (path: string) => boolean): readonly string[] {
  if (!isWanted(path)) return [];
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [`${path} is gone`];
  const mode = found.mode.toString(8);
  if (found.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
  if (found.isSocket()) return [`${path} ${mode} ${found.mtimeMs}`];
  if (!found.isDirectory()) return [`${path} ${mode} ${found.mtimeMs} ${hash('sha1', readFileSync(path))}`];
  return [`${path} ${mode}`, ...namesIn(path).flatMap((name) => describe(join(path, name), isWanted))];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
