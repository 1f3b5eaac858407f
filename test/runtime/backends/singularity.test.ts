/** The singularity backend as the settings make it, told by what the program is asked for. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import type { Home } from '../../../src/config/home.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { openRemoteBackend } from '../../../src/runtime/backends/catalogue.ts';
import { makeDirectory } from '../../environments/support.ts';
import { fakeApptainer } from '../../fakes/apptainer.ts';
import type { NotedProgram } from '../../fakes/noted-program.ts';

interface Setup {
  readonly apptainer: NotedProgram;
  readonly home: Home;
  /** Another session of the same home. */
  readonly session: () => Environment;
  readonly directory: string;
}

async function open(
  t: TestContext,
  terminal: Readonly<Record<string, unknown>> = {},
  answers?: string,
): Promise<Setup> {
  const opened: Environment[] = [];
  t.after(() => Promise.all(opened.map((environment) => environment.close())));
  const directory = makeDirectory(t);
  const home: Home = { path: join(directory, 'home'), root: join(directory, 'home'), profile: 'default' };
  mkdirSync(home.path);
  const apptainer = fakeApptainer(directory, makeDirectory(t), answers);
  const settings = { backend: 'singularity', sandbox_dir: join(directory, 'boxes'), ...terminal };
  writeFileSync(join(home.path, 'config.yaml'), stringify({ terminal: settings }));
  const env = { PATH: `${directory}:${process.env['PATH'] ?? ''}`, HOME: directory, APPTAINERENV_LEAK: 'x' };
  const config = await loadConfig({ home, env });
  const session = (): Environment => {
    const parts = { home, env, config, cwd: directory, log: noLog };
    const { environment, insideContainer } = openRemoteBackend('singularity', parts);
    assert.equal(insideContainer, true);
    opened.push(environment);
    return environment;
  };
  return { apptainer, home, session, directory };
}

async function run(environment: Environment, command: string): Promise<string> {
  return (await environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal })).output;
}

function starts(apptainer: NotedProgram): string[][] {
  return apptainer.calls().filter(([, word]) => word === 'start');
}

test('an image is built once, and an instance shows nothing of this machine but skills and cache', async (t) => {
  const { apptainer, home, session, directory } = await open(t);
  const environment = session();
  assert.equal(await run(environment, 'export A=1; echo "[$APPTAINERENV_LEAK]"'), '[]\n');
  assert.equal(await run(environment, 'echo $A'), '1\n');
  const [start = []] = starts(apptainer);
  const scratch = join(directory, 'boxes/singularity');
  assert.equal(start.slice(0, 5).join(' '), 'instance start --containall --no-home --overlay');
  assert.equal(start[5], join(scratch, 'hermes-overlays/overlay-default'));
  assert.ok(start.includes(`${home.path}/skills:/root/.hermes/skills:ro`));
  assert.deepEqual(start.slice(-6, -2), ['--cpus', '1', '--memory', '5120M']);
  assert.match(start.at(-2) ?? '', /boxes\/singularity\/images\/[0-9a-f]{16}\.sif$/);
  assert.match(start.at(-1) ?? '', /^hermes-[0-9a-f]{8}$/);
  assert.ok(
    apptainer
      .calls()
      .some(([word, , image]) => word === 'build' && image === 'docker://nikolaik/python-nodejs:python3.11-nodejs20'),
  );
  await environment.close();
  await run(session(), 'true');
  assert.equal(apptainer.calls().filter(([word]) => word === 'build').length, 1);
  assert.equal(readdirSync(join(scratch, 'images')).length, 1);
});

test('sessions that keep the same files share one instance, and the last one stops it', async (t) => {
  const { apptainer, session } = await open(t);
  const [first, second] = [session(), session()];
  await run(first, 'true');
  await run(second, 'true');
  assert.equal(starts(apptainer).length, 1);
  const stops = (): number => apptainer.calls().filter(([, word]) => word === 'stop').length;
  await first.close();
  assert.equal(stops(), 0);
  assert.equal(await run(second, 'echo goes on'), 'goes on\n');
  await second.close();
  assert.equal(stops(), 1);
});

test('without persistence everything is in memory, and a file is an image, too', async (t) => {
  const image = join(makeDirectory(t), 'mine.sif');
  writeFileSync(image, '');
  const { apptainer, session, directory } = await open(t, {
    container_persistent: false,
    singularity_image: image,
    container_cpu: 0,
    container_memory: 0,
  });
  for (const environment of [session(), session()]) await run(environment, 'true');
  const [one = [], other = []] = starts(apptainer);
  assert.equal(one[4], '--writable-tmpfs');
  assert.equal(one.at(-2), image);
  assert.notEqual(one.at(-1), other.at(-1));
  assert.equal(existsSync(join(directory, 'boxes/singularity/hermes-overlays')), false);
  const missing = await open(t, { singularity_image: '/no/such.sif' });
  await assert.rejects(run(missing.session(), 'true'), /There is no image \/no\/such\.sif/);
});

test('limits that cannot be set are left out; what fails otherwise is told', async (t) => {
  const noLimits = `case " $* " in *" --cpus "*) echo 'FATAL: cgroups are not available' >&2; exit 255;; esac`;
  const { apptainer, session } = await open(t, {}, noLimits);
  assert.equal(await run(session(), 'echo runs'), 'runs\n');
  assert.deepEqual(
    starts(apptainer).map((args) => args.includes('--cpus')),
    [true, false],
  );
  const noBuild = await open(t, {}, `[ "$1" = build ] && { echo 'FATAL: no space left' >&2; exit 255; }`);
  await assert.rejects(run(noBuild.session(), 'true'), /cannot be built: FATAL: no space left/);
});

test('an instance that vanished is started again, with a word that its state is lost', async (t) => {
  const { session, directory } = await open(t);
  const environment = session();
  await run(environment, 'export A=1');
  const running = readdirSync(directory).find((name) => name.endsWith('.runs')) ?? '';
  rmSync(join(directory, running));
  await assert.rejects(run(environment, 'true'), /instance .* is gone/);
  assert.equal(await run(environment, 'echo runs'), 'runs\n');
});
