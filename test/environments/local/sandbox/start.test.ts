/** Sandboxes that do not start: a clear word in every phase, and never a program of somebody else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startLinuxSandbox } from '../../../../src/environments/local/sandbox/start-linux-sandbox.ts';
import { findSandboxPrograms } from '../../../../src/environments/local/sandbox/why-not.ts';
import { UserError } from '../../../../src/lib/errors.ts';
import { living, makeDirectory, uniqueSleep, until } from '../../support.ts';
import { makeMachine, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();
const system = findSandboxPrograms();
const layout = '--ro-bind / / --dev /dev --proc /proc'.split(' ');

/** Starts with programs of which some are these scripts. */
async function startWith(
  directory: string,
  scripts: Readonly<Record<string, string>>,
  timeoutMs = 20_000,
): Promise<string> {
  assert.ok('bwrap' in system);
  const replaced = Object.entries(scripts).map(([name, text]) => {
    const path = join(directory, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return [name, path];
  });
  const programs = { ...system, ...Object.fromEntries(replaced) };
  const signal = new AbortController().signal;
  try {
    (await startLinuxSandbox({ programs, layout, sharesNetwork: true, timeoutMs, signal })).close();
    return 'started';
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error.message;
  }
}

for (const [name, scripts, told] of [
  [
    'cannot make namespaces',
    { bwrap: 'echo "bwrap: No permissions to create new namespace" >&2; exit 1' },
    /does not start: bwrap: No permissions/,
  ],
  ['says nothing and ends', { bwrap: 'exit 3' }, /does not start: bwrap ended with 3/],
  ['is no program', { bwrap: '\u0000' }, /does not start: /],
  ['talks without an end and is none', { bwrap: 'yes | head -c 9000000; exit 1' }, /does not start: /],
  ['may not mount', { mount: 'echo "no mounting" >&2; exit 1' }, /does not start: no mounting/],
  ['may not change ids', { unshare: 'echo "unshare: uid_map" >&2; exit 1' }, /does not start: unshare: uid_map/],
  [
    'cannot be entered',
    { nsenter: 'echo "nsenter: no entrance" >&2; exit 1' },
    /nothing can be started in it \(nsenter: no entrance\)/,
  ],
] as const) {
  test(`a sandbox that ${name} says so`, { skip }, async (t) => {
    assert.match(await startWith(makeDirectory(t), scripts), told);
  });
}

test('where user namespaces are switched off, one line says so and what to do, and nothing runs', { skip }, (t) => {
  const program = fileURLToPath(new URL('tell-problem.ts', import.meta.url));
  const text = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`;
  assert.ok('unshare' in system);
  const words = ['-Ur', 'sh', '-c', text, 'sh', process.execPath, program, makeDirectory(t)];
  const { stdout, stderr } = spawnSync(system.unshare, words, { encoding: 'utf8', timeout: 30_000 });
  if (stdout === '') return t.skip(`user namespaces cannot be switched off for a test: ${stderr}`);
  const [problem, refused] = JSON.parse(stdout) as [string, string];
  assert.match(
    problem,
    /^The sandbox for commands does not start: bwrap: [^\n]+\. Allow user namespaces: `sudo sysctl/,
  );
  assert.equal(refused, `The command was not run: it cannot be confined. ${problem}`);
});

for (const phase of ['bwrap', 'mount', 'unshare', 'setpriv'] as const) {
  test(`a sandbox that hangs in ${phase} is given up in time and leaves nothing`, { skip }, async (t) => {
    const nap = uniqueSleep();
    const message = await startWith(makeDirectory(t), { [phase]: `exec ${nap}` }, 400);
    assert.equal(message, 'The sandbox for commands did not start within 0.4 seconds.');
    await until(() => living(nap).length === 0, 'it is gone');
  });
}

test('programs of the same names on the search path are never asked', { skip }, async (t) => {
  const { home, run } = makeMachine(t);
  for (const name of ['bwrap', 'nsenter', 'setpriv', 'unshare', 'mount', 'sh', 'sleep']) {
    writeFileSync(join(home, '.local/bin', name), `#!/bin/bash\necho ${name} >> ${home}/asked\n`, { mode: 0o755 });
  }
  assert.equal((await run('echo ran')).output, 'ran\n');
  assert.equal(existsSync(join(home, 'asked')), false);
});
