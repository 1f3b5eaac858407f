/** The backends of clouds as the settings make them. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import type { Home } from '../../../src/config/home.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Variables } from '../../../src/config/variables.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { openRemoteBackend } from '../../../src/runtime/backends/catalogue.ts';
import { makeDirectory } from '../../environments/support.ts';
import { type FakeDaytona, startDaytonaServer } from '../../fakes/daytona-server.ts';

interface Setup {
  readonly daytona: FakeDaytona;
  readonly home: Home;
  readonly session: (backend: 'daytona' | 'modal', more?: Partial<Place>) => Promise<Environment>;
}

interface Place {
  readonly terminal: Readonly<Record<string, unknown>>;
  readonly env: Variables;
  readonly profile: string;
}

async function open(t: TestContext): Promise<Setup> {
  const opened: Environment[] = [];
  t.after(() => Promise.all(opened.map((environment) => environment.close())));
  const directory = makeDirectory(t);
  const home: Home = { path: join(directory, 'home'), root: join(directory, 'home'), profile: 'default' };
  mkdirSync(home.path);
  const daytona = await startDaytonaServer(t, directory);
  return {
    daytona,
    home,
    async session(backend, { terminal = {}, env: more = {}, profile = 'default' } = {}) {
      writeFileSync(join(home.path, 'config.yaml'), stringify({ terminal: { backend, ...terminal } }));
      const env = {
        HOME: directory,
        DAYTONA_API_KEY: daytona.key,
        DAYTONA_API_URL: daytona.url,
        DAYTONA_TARGET: 'eu',
        ...more,
      };
      const config = await loadConfig({ home, env });
      const parts = { home: { ...home, profile }, env, config, cwd: directory, log: noLog };
      const { environment, insideContainer, pathThere } = openRemoteBackend(backend, parts);
      assert.equal(insideContainer, true, 'nothing of this machine can be reached from there');
      assert.equal(pathThere(join(home.path, 'skills/a')), '~/.hermes/skills/a');
      opened.push(environment);
      return environment;
    },
  };
}

async function run(environment: Environment, command: string): Promise<string> {
  return (await environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal })).output;
}

test('skills and credential files go to the sandbox, keys of services never do, and the cache comes back', async (t) => {
  const { daytona, home, session } = await open(t);
  mkdirSync(join(home.path, 'skills/own'), { recursive: true });
  writeFileSync(join(home.path, 'skills/own/SKILL.md'), 'mine');
  writeFileSync(join(home.path, 'token.json'), 'secret');
  const environment = await session('daytona', {
    terminal: {
      credential_files: ['token.json'],
      env_passthrough: ['PASSED', 'DAYTONA_API_KEY', 'MODAL_TOKEN_SECRET'],
      daytona_image: 'python:3.12',
      container_cpu: 3,
      container_memory: 3000,
      container_disk: 0,
      cwd: '/home/somebody',
    },
    env: { PASSED: 'yes', MODAL_TOKEN_ID: 'ak-1', MODAL_TOKEN_SECRET: 'as-1' },
  });
  assert.equal(
    await run(environment, 'cat .hermes/skills/own/SKILL.md .hermes/token.json; echo " $PASSED"'),
    'minesecret yes\n',
  );
  assert.equal(await run(environment, 'env | grep -cE "DAYTONA|MODAL|dtn_|as-1"'), '0\n');
  await run(environment, 'mkdir -p .hermes/cache/images; printf new >.hermes/cache/images/new.png');
  const { made } = daytona.sandboxes[0] ?? {};
  assert.deepEqual(
    [made?.['buildInfo'], made?.['cpu'], made?.['memory'], made?.['disk'], made?.['target']],
    [{ dockerfileContent: 'FROM python:3.12\n' }, 3, 3, 1, 'eu'],
  );
  await environment.close();
  assert.equal(readFileSync(join(home.path, 'cache/images/new.png'), 'utf8'), 'new');
  assert.equal(
    daytona.commands.some((command) => command.includes(daytona.key)),
    false,
  );
});

test('profiles do not meet in one sandbox, and one that is not kept is removed', async (t) => {
  const { daytona, session } = await open(t);
  await run(await session('daytona'), 'true');
  await run(await session('daytona', { profile: 'work' }), 'true');
  const passing = await session('daytona', { terminal: { container_persistent: false } });
  await run(passing, 'true');
  await passing.close();
  const [own, other, removed] = daytona.sandboxes.map(({ name, state }) => `${name} ${state}`);
  assert.deepEqual([own, other], ['hermes-default started', 'hermes-default-work started']);
  assert.match(removed ?? '', /^hermes-default-[0-9a-f]{8} destroyed$/);
});

test('an idle sandbox is stopped, and the next command starts it in the same directory', async (t) => {
  const { daytona, session } = await open(t);
  const environment = await session('daytona', { terminal: { lifetime_seconds: 1 } });
  await run(environment, 'mkdir -p a; cd a');
  const [sandbox] = daytona.sandboxes;
  const isStopped = (): boolean => sandbox?.state === 'stopped';
  for (let tries = 0; tries < 1000 && !isStopped(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(isStopped());
  const { output, note } = await environment.run('pwd', { timeoutMs: 30_000, signal: new AbortController().signal });
  assert.equal(output, `${sandbox?.home}/a\n`);
  assert.match(note ?? '', /had been idle/);
});

test('without an account it says what to set, before anybody is asked', async (t) => {
  const { home, session } = await open(t);
  const hint = (pattern: RegExp) => (error: Error) => pattern.test(String(Reflect.get(error, 'hint')));
  await assert.rejects(
    run(await session('daytona', { env: { DAYTONA_API_KEY: '' } }), 'true'),
    hint(/DAYTONA_API_KEY/),
  );
  await assert.rejects(
    run(await session('modal', { env: { MODAL_TOKEN_ID: 'ak-1' } }), 'true'),
    hint(/MODAL_TOKEN_SECRET/),
  );
  const managed = await session('modal', { terminal: { modal_mode: 'managed' } });
  await assert.rejects(run(managed, 'true'), hint(/hermes auth add nous.*modal_mode direct/));
  assert.equal(existsSync(join(home.path, 'sandboxes')), false);
});
