/** `/update` in a chat: a gateway from a checkout of its own, brought to a newer commit between two messages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { start, type Running } from '../../cli/hermes-process.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, until } from './support.ts';

const dm = { chatId: '1001', threadId: null };
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The program as a checkout with an origin. Packages are there already: `npm` does nothing. */
async function setUp(t: TestContext, model: ModelServer) {
  const place = await gatewayPlace(t, model);
  const base = join(dirname(place.home), '..', 'repositories');
  const [origin, clone, tools] = [join(base, 'origin'), join(base, 'clone'), join(base, 'tools')];
  for (const folder of [origin, tools]) mkdirSync(folder, { recursive: true });
  for (const name of ['src', 'bin', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(origin, name), { recursive: true });
  writeFileSync(join(origin, '.gitignore'), 'node_modules\n');
  writeFileSync(join(tools, 'npm'), '#!/bin/sh\necho "npm $*"\n');
  chmodSync(join(tools, 'npm'), 0o755);
  const env = { ...place.env, PATH: `${tools}:${place.env['PATH']}`, GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (folder: string, ...args: string[]): string => {
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
    const run = spawnSync('git', ['-C', folder, ...identity, ...args], { env, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.trim();
  };
  const commit = (message: string): string => {
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', message);
    return git(origin, 'rev-parse', 'HEAD');
  };
  git(base, 'init', '-q', '-b', 'main', 'origin');
  commit('first');
  git(base, 'clone', '-q', 'origin', 'clone');
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const run = (...args: string[]): Running => {
    const main = join(clone, 'src', 'main.ts');
    const running = start(place, ['gateway', 'run', ...args], { env, main });
    t.after(async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    });
    return running;
  };
  const said = (words: RegExp): boolean => place.texts().some((text) => words.test(text));
  const ask = async (text: string): Promise<void> => {
    await place.telegram.write({ in: dm, text });
  };
  return { place, origin, clone, git, commit, run, said, ask };
}

test('/update lets the turn finish, installs while nothing runs, ends with 75, and the chat hears of it from the new one', async (t) => {
  await using model = await startModelServer();
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'done before the update', gate: gate.promise }, { text: 'answered by the new one' });
  const { place, origin, clone, git, commit, run, said, ask } = await setUp(t, model);
  const first = run('--external-supervisor');
  await place.inState(first, 'running');
  await ask('/update');
  await until(() => said(/^Up to date \(main, /), first);
  writeFileSync(join(origin, 'news.txt'), 'newer\n');
  const to = commit('a better one');
  await ask('work');
  await model.requestArrived(1);
  await ask('/update');
  await until(() => said(/1 new commit\(s\) on main:\n.*a better one\n♻️ I install it as soon as/), first);
  assert.equal(first.child.exitCode, null);
  assert.ok(!existsSync(join(clone, 'news.txt')), 'nothing is touched while a turn runs');
  gate.resolve();
  assert.equal((await first.ended).code, 75);
  assert.ok(place.texts().includes('done before the update'));
  assert.equal(git(clone, 'rev-parse', 'HEAD'), to);
  assert.match(place.read('logs/update.log'), /npm ci[\s\S]*✓ Updated from/);
  // What comes while it is down waits at the platform.
  await ask('are you there?');
  const second = run('--external-supervisor');
  await until(() => said(/^♻️ I am back: ✓ Updated from \w{9} to \w{9}\.$/), second);
  await until(() => said(/^answered by the new one$/), second);
  await until(() => !existsSync(join(place.home, '.restart_notify.json')), second);
});

test('a version that does not start is taken back, and one that cannot be installed does not end the gateway', async (t) => {
  await using model = await startModelServer();
  const { place, origin, clone, git, commit, run, said, ask } = await setUp(t, model);
  const before = git(clone, 'rev-parse', 'HEAD');
  const lonely = run();
  await place.inState(lonely, 'running');
  await ask('/update');
  await until(() => said(/^Nothing would start me again after an update\.\nRun the gateway as a service/), lonely);
  lonely.child.kill('SIGTERM');
  await lonely.ended;
  const first = run('--external-supervisor');
  await place.inState(first, 'running');
  const launcher = readFileSync(join(origin, 'bin', 'hermes.mjs'), 'utf8');
  writeFileSync(join(origin, 'bin', 'hermes.mjs'), 'process.exitCode = 3;');
  commit('broken');
  writeFileSync(join(clone, 'package.json'), `${readFileSync(join(clone, 'package.json'), 'utf8')}\n`);
  git(clone, '-c', 'user.name=T', 'commit', '-q', '-am', 'mine');
  await ask('/update');
  await until(() => said(/^This checkout has 1 commit\(s\) of its own\./), first);
  git(clone, 'reset', '-q', '--hard', before);
  await ask('/update');
  assert.equal((await first.ended).code, 75);
  assert.equal(git(clone, 'rev-parse', 'HEAD'), before);
  const second = run('--external-supervisor');
  await until(
    () => said(/and the update failed: .*taken back: The new version does not start \(exit code 3\)/),
    second,
  );
  assert.equal(readFileSync(join(clone, 'bin', 'hermes.mjs'), 'utf8'), launcher);
});
