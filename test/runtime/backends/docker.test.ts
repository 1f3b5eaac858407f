/** The docker backend as the settings make it, told by what the engine is asked for. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { UserError } from '../../../src/lib/errors.ts';
import { stringify } from 'yaml';
import type { Home } from '../../../src/config/home.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { openRemoteBackend } from '../../../src/runtime/backends/catalogue.ts';
import { fakeEngine } from '../../fakes/container-engine.ts';
import type { NotedProgram } from '../../fakes/noted-program.ts';
import { makeDirectory } from '../../environments/support.ts';

interface Setup {
  readonly engine: NotedProgram;
  readonly environment: Environment;
  readonly insideContainer: boolean;
  readonly home: Home;
  readonly cwd: string;
  readonly shareFiles: (paths: readonly string[]) => void;
  /** The arguments of `docker run`, after one command. */
  readonly runArguments: () => Promise<string[]>;
}

async function open(
  t: TestContext,
  terminal: Readonly<Record<string, unknown>> = {},
  more: {
    readonly env?: Readonly<Record<string, string>>;
    readonly answers?: string;
    readonly files?: readonly string[];
  } = {},
): Promise<Setup> {
  const directory = makeDirectory(t);
  const cwd = makeDirectory(t);
  const home: Home = { path: join(directory, 'home'), root: join(directory, 'home'), profile: 'default' };
  mkdirSync(home.path);
  for (const name of more.files ?? []) writeFileSync(join(home.path, name), 'text');
  const inside = makeDirectory(t);
  const engine = fakeEngine(directory, inside, more.answers);
  writeFileSync(
    join(home.path, 'config.yaml'),
    stringify({ terminal: { backend: 'docker', cwd: inside, ...terminal } }),
  );
  const env = { PATH: process.env['PATH'], HOME: directory, HERMES_DOCKER_BINARY: engine.program, ...more.env };
  const config = await loadConfig({ home, env });
  const { environment, insideContainer, shareFiles } = openRemoteBackend('docker', {
    home,
    env,
    config,
    cwd,
    log: noLog,
  });
  t.after(() => environment.close());
  const runArguments = async (): Promise<string[]> => {
    await environment.run('true', { timeoutMs: 30_000, signal: new AbortController().signal });
    return engine.calls().find(([word]) => word === 'run') ?? [];
  };
  return { engine, environment, insideContainer, shareFiles, home, cwd, runArguments };
}

/** The values of an option that is given more than once. */
function valuesOf(args: readonly string[], option: string): string[] {
  return args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []));
}

test('a container is hardened, limited, labelled and keeps its directories', async (t) => {
  const { runArguments, home, insideContainer } = await open(t);
  const args = await runArguments();
  assert.deepEqual(args.slice(0, 3), ['run', '-d', '--init']);
  assert.match(valuesOf(args, '--name').join(), /^hermes-[0-9a-f]{8}$/);
  assert.deepEqual(valuesOf(args, '--label').slice(0, 3), [
    'hermes-agent=1',
    'hermes-task-id=default',
    'hermes-profile=default',
  ]);
  assert.deepEqual(valuesOf(args, '--cap-drop'), ['ALL']);
  assert.deepEqual(valuesOf(args, '--cap-add'), ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'SETUID', 'SETGID']);
  assert.deepEqual(valuesOf(args, '--security-opt'), ['no-new-privileges']);
  assert.deepEqual(valuesOf(args, '--tmpfs'), [
    '/tmp:rw,nosuid,size=512m',
    '/var/tmp:rw,noexec,nosuid,size=256m',
    '/run:rw,noexec,nosuid,size=64m',
  ]);
  assert.deepEqual(
    [valuesOf(args, '--pids-limit'), valuesOf(args, '--cpus'), valuesOf(args, '--memory')],
    [['256'], ['1'], ['5120m']],
  );
  assert.deepEqual(valuesOf(args, '--storage-opt'), process.platform === 'darwin' ? [] : ['size=51200m']);
  const volumes = valuesOf(args, '-v');
  assert.deepEqual(volumes.slice(0, 2), [
    `${home.path}/sandboxes/docker/default/home:/root`,
    `${home.path}/sandboxes/docker/default/workspace:/workspace`,
  ]);
  assert.ok(volumes.includes(`${home.path}/skills:/root/.hermes/skills:ro`));
  assert.ok(volumes.includes(`${home.path}/cache/images:/root/.hermes/cache/images:ro`));
  assert.deepEqual(args.slice(-3), ['nikolaik/python-nodejs:python3.11-nodejs20', 'sleep', 'infinity']);
  assert.deepEqual(valuesOf(args, '-e'), []);
  assert.equal(args.includes('--network=none') || args.includes('--user'), false);
  assert.equal(insideContainer, true);
});

test('settings of docker become its arguments', async (t) => {
  const { runArguments, home } = await open(
    t,
    {
      docker_image: 'mine:1',
      docker_network: false,
      docker_env: { A: 'x y', '1bad': 'no' },
      docker_run_as_host_user: true,
      docker_extra_args: ['--shm-size=1g'],
      docker_volumes: ['data:/data', 'nonsense', './x:/x', '/a:/b:ro:z', 'cache:/workspace'],
      container_cpu: 2,
      container_memory: 0,
      container_disk: 0,
      credential_files: ['token.json', '../x', '.env'],
      sandbox_dir: join(makeDirectory(t), 'boxes'),
    },
    { files: ['token.json', '.env'] },
  );
  const args = await runArguments();
  assert.ok(args.includes('--network=none'));
  assert.deepEqual(valuesOf(args, '-e'), ['HOME=/root', 'A=x y']);
  assert.deepEqual(valuesOf(args, '--user'), [`${process.getuid?.()}:${process.getgid?.()}`]);
  assert.deepEqual(valuesOf(args, '--cap-add'), ['DAC_OVERRIDE', 'CHOWN', 'FOWNER']);
  assert.deepEqual(
    [valuesOf(args, '--cpus'), valuesOf(args, '--memory'), valuesOf(args, '--storage-opt')],
    [['2'], [], []],
  );
  const volumes = valuesOf(args, '-v');
  assert.match(volumes[0] ?? '', /boxes\/docker\/default\/home:\/root$/);
  assert.deepEqual(volumes.slice(-3), [
    `${home.path}/token.json:/root/.hermes/token.json:ro`,
    'data:/data',
    'cache:/workspace',
  ]);
  assert.equal(volumes.filter((volume) => volume.includes(':/workspace')).length, 1);
  assert.deepEqual(args.slice(-4), ['--shm-size=1g', 'mine:1', 'sleep', 'infinity']);
});

test('a container that shall keep nothing has its directories in memory', async (t) => {
  const { runArguments, home } = await open(t, { container_persistent: false });
  const args = await runArguments();
  assert.deepEqual(valuesOf(args, '--tmpfs').slice(3), [
    '/workspace:rw,exec,size=10g',
    '/home:rw,exec,size=1g',
    '/root:rw,exec,size=1g',
  ]);
  assert.equal(existsSync(join(home.path, 'sandboxes')), false);
});

test('the directory of the session is the workspace when it is asked for, and the container no boundary any more', async (t) => {
  const { runArguments, cwd, insideContainer, environment } = await open(t, {
    docker_mount_cwd_to_workspace: true,
    cwd: '.',
  });
  const args = await runArguments();
  assert.ok(valuesOf(args, '-v').includes(`${cwd}:/workspace`));
  assert.deepEqual(valuesOf(args, '-w'), ['/workspace']);
  assert.equal(insideContainer, false);
  assert.notEqual(environment.cwd, cwd);
});

test('paths of this machine and arguments that may open something are no boundary; where a command starts is inside', async (t) => {
  for (const terminal of [
    { docker_volumes: ['/srv:/srv'] },
    { docker_volumes: ['~/x:/x'] },
    { docker_extra_args: ['--privileged'] },
    { docker_extra_args: ['-v', '/:/host'] },
  ]) {
    assert.equal((await open(t, terminal)).insideContainer, false, JSON.stringify(terminal));
  }
  const closed = { docker_volumes: ['data:/data'], docker_extra_args: ['--shm-size=1g'] };
  assert.equal(
    (await open(t, closed)).insideContainer,
    true,
    'volumes of the engine and harmless arguments open nothing',
  );
  for (const [cwd, start] of [
    ['.', '/root'],
    ['/home/me/project', '/root'],
    ['/srv/app', '/srv/app'],
    ['~', '/root'],
  ] as const) {
    assert.deepEqual(valuesOf(await (await open(t, { cwd })).runArguments(), '-w'), [start], cwd);
  }
});

test('nothing of this machine is seen inside but what is named, and of that nothing that is the agent’s own', async (t) => {
  const ownTokens = { TELEGRAM_BOT_TOKEN: 't', GITHUB_TOKEN: 'g' };
  const given = ['GIVEN_TOKEN', 'bad-name', 'ABSENT', 'OPENROUTER_API_KEY', 'TELEGRAM_BOT_TOKEN', 'GITHUB_TOKEN'];
  const { environment, engine } = await open(
    t,
    { env_passthrough: ['PASSED', 'OPENROUTER_API_KEY'], docker_forward_env: given },
    { env: { PASSED: 'p', OTHER: 'o', GIVEN_TOKEN: 'it\'s "$x"', OPENROUTER_API_KEY: 'k', ...ownTokens } },
  );
  const script = 'printf "%s|%s|%s" "$PASSED" "$GIVEN_TOKEN" "$OPENROUTER_API_KEY$TELEGRAM_BOT_TOKEN$GITHUB_TOKEN"';
  const { output } = await environment.run(script, { timeoutMs: 30_000, signal: new AbortController().signal });
  assert.equal(output, 'p|it\'s "$x"|g');
  assert.equal(JSON.stringify(engine.calls()).includes('$x'), false, 'a value is in no argument');
});

test('limits that an engine cannot set are left out, one after the other, and everything else is an error with a way out', async (t) => {
  const answers = `if [ "$1" = run ]; then
  case " $* " in *" --storage-opt "*) echo '--storage-opt is supported only for overlay over xfs' >&2; exit 125;; esac
  case " $* " in *" --pids-limit "*) echo 'cgroup: pids controller is not there' >&2; exit 125;; esac
fi`;
  const { environment, engine } = await open(t, {}, { answers });
  await environment.run('true', { timeoutMs: 30_000, signal: new AbortController().signal });
  const tries = engine.calls().filter(([word]) => word === 'run');
  assert.deepEqual(
    tries.map((args) => [args.includes('--storage-opt'), args.includes('--pids-limit')]),
    [
      [true, true],
      [false, true],
      [false, false],
    ],
  );
  const broken = await open(t, {}, { answers: 'if [ "$1" = run ]; then echo "no room" >&2; exit 1; fi' });
  await assert.rejects(broken.runArguments(), /No container of .* can be started: no room/);
});

test('a podman without its init process says which package is missing', async (t) => {
  const answers = 'if [ "$1" = run ]; then echo "Error: container-init binary not found on the host" >&2; exit 125; fi';
  const { runArguments } = await open(t, {}, { answers });
  await assert.rejects(runArguments(), (error) => error instanceof UserError && /catatonit/.test(error.hint ?? ''));
});

test('an image that cannot be had and an engine that does not run are told', async (t) => {
  const noImage = 'case "$1" in image) exit 1;; pull) echo "manifest unknown" >&2; exit 1;; esac';
  await assert.rejects((await open(t, {}, { answers: noImage })).runArguments(), /cannot be fetched: manifest unknown/);
  const noDaemon = 'echo "Cannot connect to the Docker daemon" >&2; exit 1';
  await assert.rejects((await open(t, {}, { answers: noDaemon })).runArguments(), /does not work: Cannot connect/);
  const nowhere = { env: { HERMES_DOCKER_BINARY: 'no-such-engine' } };
  await assert.rejects((await open(t, {}, nowhere)).runArguments(), /No container engine was found: no-such-engine/);
});

test('without persistence each session has a container of its own, removed at its end; s6 starts by itself', async (t) => {
  const answers = `[ "$1" = image ] && { echo '["/init"]'; exit 0; }`;
  const { environment, engine, runArguments } = await open(t, { docker_persist_across_processes: false }, { answers });
  const args = await runArguments();
  assert.equal(args.includes('--init'), false);
  assert.ok(valuesOf(args, '--tmpfs').includes('/run:rw,exec,nosuid,size=64m'));
  await environment.close();
  assert.deepEqual(engine.calls().at(-1), ['rm', '-f', '-v', valuesOf(args, '--name')[0]]);
});

test('a credential file that a skill asks for is there with the next command, for its owner alone', async (t) => {
  const { environment, home, shareFiles } = await open(t, {}, { files: ['token.json'] });
  const run = async (command: string): Promise<string> => {
    const { output } = await environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal });
    return output;
  };
  shareFiles([join(home.path, 'token.json')]);
  assert.equal(await run('cat ~/.hermes/token.json; stat -c " %a" ~/.hermes/token.json'), 'text 600\n');
});

test('a session that runs nothing starts nothing', async (t) => {
  const { environment, engine } = await open(t, { cwd: '~' });
  assert.equal(environment.files.resolve('b'), '~/b');
  await environment.close();
  assert.deepEqual(engine.calls(), []);
});
