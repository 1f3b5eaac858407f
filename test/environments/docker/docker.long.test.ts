/** A real container engine: containers are hardened, found again, replaced and removed as the settings say. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { type ContainerSpec, ownerLabels } from '../../../src/environments/docker/container-spec.ts';
import { createDockerHost } from '../../../src/environments/docker/docker-host.ts';
import { removeOrphans } from '../../../src/environments/docker/remove-orphans.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { conformance } from '../conformance.ts';
import { makeDirectory } from '../support.ts';
import { openPodman } from './podman.ts';

const podman = openPodman();
const options = typeof podman === 'string' ? { skip: podman } : {};
after(() => {
  if (typeof podman !== 'string') podman.remove();
});
const anySignal = new AbortController().signal;

function engine(...args: string[]): string {
  if (typeof podman === 'string') throw new Error(podman);
  return execFileSync(podman.program, args, { encoding: 'utf8' }).trim();
}

function specOf(homePath: string, more: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    image: typeof podman === 'string' ? '' : podman.image,
    task: 'default',
    profile: 'default',
    homePath,
    cwd: '/workspace',
    mounts: [],
    scratch: [{ target: '/workspace', size: '64m' }],
    variables: { LITERAL: 'a b' },
    network: true,
    cpus: 1,
    memoryMb: 512,
    diskMb: 0,
    extraArgs: [],
    ...more,
  };
}

/** Containers of a home, removed after the test whatever it does. */
function open(t: TestContext, spec: ContainerSpec, persists = true): Environment {
  const host = createDockerHost({
    program: typeof podman === 'string' ? '' : podman.program,
    env: { PATH: process.env['PATH'], HOME: spec.homePath },
    spec,
    persists,
    log: noLog,
  });
  const environment = createRemoteEnvironment({ host, cwd: spec.cwd, variables: { FORWARDED: 'yes' } });
  t.after(async () => {
    await environment.close();
    for (const id of containersOf(spec.homePath)) engine('rm', '-f', '-t', '0', id);
  });
  return environment;
}

function containersOf(homePath: string): string[] {
  const home = ownerLabels({ task: '', profile: '', homePath }).at(-1) ?? '';
  return engine('ps', '-aq', '--no-trunc', '--filter', `label=${home}`).split('\n').filter(Boolean);
}

async function run(environment: Environment, command: string): Promise<string> {
  return (await environment.run(command, { timeoutMs: 60_000, signal: anySignal })).output;
}

conformance(
  'podman',
  (t) => {
    const home = makeDirectory(t);
    const environment = open(t, specOf(home));
    return Promise.resolve({
      environment,
      directory: '/workspace',
      async living(text) {
        const [id = ''] = containersOf(home);
        const lines = engine('exec', id, 'ps', '-o', 'args').split('\n');
        return await Promise.resolve(lines.filter((line) => line.includes(text)));
      },
    });
  },
  options,
);

test('a container has no rights but those that commands need', options, async (t) => {
  const home = makeDirectory(t);
  const environment = open(t, specOf(home));
  assert.equal(
    await run(environment, 'echo $LITERAL $FORWARDED $HOME; grep NoNewPrivs /proc/self/status; env | grep -c SECRET'),
    'a b yes /root\nNoNewPrivs:\t1\n0\n',
  );
  const [id = ''] = containersOf(home);
  const host = JSON.parse(engine('inspect', '--format', '{{json .HostConfig}}', id));
  assert.equal(host.PidsLimit, 256);
  assert.equal(host.Memory, 512 * 1024 * 1024);
  assert.match(
    engine('inspect', '--format', '{{json .EffectiveCaps}}', id),
    /^\["CAP_CHOWN","CAP_DAC_OVERRIDE","CAP_FOWNER","CAP_SETGID","CAP_SETUID"\]$/,
  );
  assert.equal(
    engine('inspect', '--format', '{{json .Config.Env}}', id).includes('FORWARDED'),
    false,
    'it is in no settings',
  );
});

test(
  'the next process finds the container again, running or not; that of another profile stays alone',
  options,
  async (t) => {
    const home = makeDirectory(t);
    const first = open(t, specOf(home));
    await run(first, 'echo kept >/root/file');
    await first.close();
    const [id = ''] = containersOf(home);
    assert.equal(engine('inspect', '--format', '{{.State.Running}}', id), 'true');
    const second = open(t, specOf(home));
    assert.equal(
      await run(second, 'cat /root/file; ls -d /tmp/hermes-* | wc -l'),
      'kept\n1\n',
      'of the first nothing else is left',
    );
    engine('stop', '-t', '0', id);
    await assert.rejects(run(second, 'true'), /is gone/);
    const again = await second.run('cat /root/file', { timeoutMs: 60_000, signal: anySignal });
    assert.deepEqual([again.output, containersOf(home)], ['kept\n', [id]]);
    const other = open(t, specOf(home, { profile: 'work' }));
    assert.equal(await run(other, 'ls /root'), '');
    assert.equal(containersOf(home).length, 2);
  },
);

test('one that was made with other settings is replaced; without a network there is none', options, async (t) => {
  const home = makeDirectory(t);
  const first = open(t, specOf(home));
  await run(first, 'true');
  const [before] = containersOf(home);
  const second = open(t, specOf(home, { network: false }));
  await run(second, 'true');
  const [now = '', ...more] = containersOf(home);
  assert.notEqual(now, before);
  assert.deepEqual(more, []);
  assert.equal(engine('inspect', '--format', '{{.HostConfig.NetworkMode}}', now), 'none');
});

test('directories are mounted as they should be, and what is to be read only is', options, async (t) => {
  const home = makeDirectory(t);
  for (const name of ['kept', 'skills']) mkdirSync(join(home, name));
  writeFileSync(join(home, 'skills/a'), 'skill');
  const mounts = [
    { source: join(home, 'kept'), target: '/root' },
    { source: join(home, 'skills'), target: '/root/.hermes/skills', options: 'ro' },
  ];
  const environment = open(t, specOf(home, { mounts }));
  assert.equal(
    await run(
      environment,
      'echo text >/root/file; cat ~/.hermes/skills/a; touch ~/.hermes/skills/b 2>/dev/null || echo refused',
    ),
    'skillrefused\n',
  );
  assert.equal(readFileSync(join(home, 'kept/file'), 'utf8'), 'text\n');
});

test('one that shall not last is removed at the end, and one that vanished is made anew', options, async (t) => {
  const home = makeDirectory(t);
  const environment = open(t, specOf(home), false);
  await run(environment, 'export KEPT=1');
  const [id = ''] = containersOf(home);
  engine('rm', '-f', '-t', '0', id);
  await assert.rejects(run(environment, 'true'), /container .* is gone/);
  const anew = await environment.run('echo "[$KEPT]"', { timeoutMs: 60_000, signal: anySignal });
  assert.equal(anew.output, '[]\n');
  assert.match(anew.note ?? '', /made anew: what was exported before is lost/);
  await environment.close();
  assert.deepEqual(containersOf(home), []);
});

test('what ended long ago is removed, never what runs', options, async (t) => {
  const home = makeDirectory(t);
  for (const task of ['a', 'b', 'c']) await run(open(t, specOf(home, { task })), 'true');
  const ids = containersOf(home);
  assert.equal(ids.length, 3);
  const ended = engine(
    'ps',
    '-aq',
    '--no-trunc',
    '--filter',
    'label=hermes-task-id=a',
    '--filter',
    `label=${ownerLabels(specOf(home)).at(-1)}`,
  );
  engine('stop', '-t', '0', ended);
  const program = { program: typeof podman === 'string' ? '' : podman.program, env: { PATH: process.env['PATH'] } };
  const owner = { ...specOf(home), except: '' };
  await removeOrphans(program, owner, 60_000);
  assert.equal(containersOf(home).length, 3, 'it ended a moment ago');
  await removeOrphans(program, owner, 60_000, Date.now() + 120_000);
  assert.deepEqual(containersOf(home).sort(), ids.filter((id) => id !== ended).sort());
});
