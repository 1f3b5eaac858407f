/** Checkpoints of real directories with real git. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CheckpointStore } from '../../src/checkpoints/checkpoint-store.ts';
import { isDestructive } from '../../src/checkpoints/destructive.ts';
import { SessionCheckpoints } from '../../src/checkpoints/session-checkpoints.ts';
import { isPruneDue, legacyFolders, prune, sizeOf } from '../../src/checkpoints/upkeep.ts';
import { noLog } from '../../src/lib/log.ts';

function place(t: TestContext, maxSnapshots = 20) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-checkpoints-')));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const project = join(base, 'project');
  mkdirSync(project);
  const put = (name: string, text: string) => writeFileSync(join(project, name), text);
  put('package.json', '{}');
  const options = {
    homePath: join(base, 'home'),
    env: { PATH: process.env['PATH'] },
    timeoutMs: 30_000,
    maxSnapshots,
    maxFileBytes: 1000,
  };
  const get = (name: string) => readFileSync(join(project, name), 'utf8');
  return { base, project, put, get, options, store: new CheckpointStore(options) };
}

test('one checkpoint a turn; going back brings the bytes, and keeps what was there', async (t) => {
  const { project, put, get, options, store } = place(t);
  execFileSync('git', ['init', '-q', project]);
  const gitBefore = execFileSync('ls', ['-lR', join(project, '.git')], { encoding: 'utf8' });
  put('a.txt', 'one\n');
  put('.env', 'KEY=secret\n');
  const session = new SessionCheckpoints({ ...options, log: noLog });
  await session.before([join(project, 'a.txt')], 'before write_file');
  put('a.txt', 'two\n');
  await session.before([join(project, 'a.txt')], 'before patch');
  assert.equal((await store.list(project)).length, 1);
  session.newTurn();
  await session.before([join(project, 'deep', 'b.txt')], 'before patch');
  put('a.txt', 'three\n');
  const [second, first] = await store.list(project);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([second.reason, first.reason], ['before patch', 'before write_file']);
  assert.match(second.changes, /1 file changed/);
  assert.match(await store.diff(project, first.commit), /-one\n\+three/);
  await store.restore(project, first.commit, 'a.txt');
  assert.equal(get('a.txt'), 'one\n');
  const [kept] = await store.list(project);
  assert.equal(kept?.reason, `pre-rollback snapshot (restoring to ${first.commit.slice(0, 8)})`);
  await store.restore(project, kept.commit);
  assert.equal(get('a.txt'), 'three\n');
  assert.equal(await store.git.run(['ls-tree', '-r', '--name-only', kept.commit]), 'a.txt\npackage.json\n');
  assert.equal(execFileSync('ls', ['-lR', join(project, '.git')], { encoding: 'utf8' }), gitBefore);
});

test('what leads out of the project, or is no checkpoint, is refused', async (t) => {
  const { project, store } = place(t);
  const commit = await store.take(project, 'x');
  assert.ok(commit !== undefined);
  for (const file of ['../x', '/etc/passwd', '.'])
    await assert.rejects(store.restore(project, commit, file), /no path inside/);
  for (const bad of ['--help', 'HEAD', 'abc']) await assert.rejects(store.restore(project, bad), /no checkpoint/);
  await assert.rejects(store.restore(project, commit, 'missing.txt'), /holds no file/);
});

test('the oldest checkpoints go, large files are left out, and nothing new takes none', async (t) => {
  const { project, put, store } = place(t, 2);
  for (const text of ['1', '2', '3']) {
    put('a.txt', text);
    await store.take(project, `step ${text}`);
  }
  assert.equal(await store.take(project, 'again'), undefined);
  put('large.bin', 'x'.repeat(5000));
  assert.equal(await store.take(project, 'large'), undefined);
  assert.deepEqual(
    (await store.list(project)).map(({ reason }) => reason),
    ['step 3', 'step 2'],
  );
});

test('a comparison leaves large files out as well, and odd names stand for themselves alone', async (t) => {
  const { project, put, store } = place(t);
  put('abc.txt', 'one\n');
  put('a*', 'small\n');
  const commit = (await store.take(project, 'x')) ?? '';
  put('abc.txt', 'two\n');
  put('a*', 'x'.repeat(5000));
  const diff = await store.diff(project, commit);
  assert.match(diff, /-one\n\+two/);
  assert.doesNotMatch(diff, /xxxx/);
  assert.ok((await store.take(project, 'y')) !== undefined);
  const names = await store.git.run(['ls-tree', '-r', '--name-only', (await store.list(project))[0]?.commit ?? '']);
  assert.equal(names, 'abc.txt\npackage.json\n');
});

/** A folder to be found first, with a `git` that does something else for calls with the word. */
function otherGit(t: TestContext, word: string, does: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-git-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = `#!/bin/sh\ncase " $* " in *" ${word} "*) ${does};; esac\nPATH=\${PATH#*:} exec git "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

test('a project of 50,000 files is kept, and one with one more is not', async (t) => {
  const { project, options } = place(t);
  const storeOver = (count: number): CheckpointStore => {
    const PATH = otherGit(t, 'ls-files', `seq ${count} | tr '\\n' '\\0'; exit 0`);
    return new CheckpointStore({ ...options, env: { PATH } });
  };
  assert.equal(await storeOver(50_001).take(project, 'x'), undefined);
  const commit = await storeOver(50_000).take(project, 'x');
  assert.match(commit ?? '', /^[0-9a-f]{40}$/);
  await assert.rejects(storeOver(50_001).diff(project, commit ?? ''), /too many files/);
});

test('a git that does not come to its end is ended, and the edit goes on without a checkpoint', async (t) => {
  const { project, options } = place(t);
  const PATH = otherGit(t, 'write-tree', 'exec sleep 600');
  const session = new SessionCheckpoints({ ...options, env: { PATH }, timeoutMs: 1000, log: noLog });
  await session.before([project], 'before patch');
  assert.deepEqual(await new CheckpointStore(options).list(project), []);
});

test('credentials and the home itself are not copied into the store', async (t) => {
  const { base, project, put, options, store } = place(t);
  put('.env.local', 'KEY=secret');
  mkdirSync(join(options.homePath, 'skills', 'x'), { recursive: true });
  writeFileSync(join(options.homePath, 'auth.json'), '{"key":"secret"}');
  await store.take(project, 'x');
  const [taken] = await store.list(project);
  assert.equal(await store.git.run(['ls-tree', '-r', '--name-only', taken?.commit ?? '']), 'package.json\n');
  assert.equal(await store.take(options.homePath, 'x'), undefined);
  writeFileSync(join(base, 'package.json'), '{}');
  await store.take(base, 'x');
  const [around] = await store.list(base);
  const names = await store.git.run(['ls-tree', '-r', '--name-only', around?.commit ?? '']);
  assert.ok(names.includes('project/package.json') && !names.includes('auth.json'), names);
});

test('the checkpoints of a directory that is gone are pruned', async (t) => {
  const { base, project, store } = place(t);
  await store.take(project, 'x');
  assert.equal(store.projects()[0]?.directory, project);
  rmSync(project, { recursive: true });
  const limits = { retentionDays: 7, maxTotalBytes: 10_000_000, deleteOrphans: true };
  assert.equal((await prune(store, { ...limits, deleteOrphans: false }, new Date())).removed, 0);
  assert.equal((await prune(store, limits, new Date())).removed, 1);
  assert.deepEqual(store.projects(), []);
  assert.ok(existsSync(join(base, 'home', 'checkpoints', '.last_prune')));
});

test('what nobody touched for days is pruned, then the oldest projects until the store is small enough; once a day', async (t) => {
  const { base, options } = place(t);
  const days = (count: number): Date => new Date(Date.UTC(2026, 0, 1) + count * 86_400_000);
  let now = days(0);
  const store = new CheckpointStore({ ...options, maxFileBytes: 1_000_000, now: () => now });
  const directories: string[] = [];
  for (const day of [0, 5, 6]) {
    now = days(day);
    const directory = join(base, `day${day}`);
    mkdirSync(directory);
    writeFileSync(join(directory, 'noise.txt'), randomBytes(200_000));
    await store.take(directory, 'x');
    directories.push(directory);
  }
  const left = () =>
    store
      .projects()
      .map(({ directory }) => directory)
      .toSorted();
  const limits = { retentionDays: 7, maxTotalBytes: 10_000_000, deleteOrphans: true };
  assert.equal(isPruneDue(store, 24, days(7.5)), true, 'it never was');
  await prune(store, limits, days(7.5));
  assert.deepEqual(left(), directories.slice(1));
  assert.equal(isPruneDue(store, 24, days(8.4)), false);
  assert.equal(isPruneDue(store, 24, days(8.6)), true);
  await prune(store, { ...limits, maxTotalBytes: 300_000 }, days(8.6));
  assert.deepEqual(left(), directories.slice(2));
  assert.ok(sizeOf(store.base) <= 300_000);
});

test('what an older layout left is set aside, and the new store begins beside it', async (t) => {
  const { project, options, store } = place(t);
  const old = join(options.homePath, 'checkpoints', '0123456789abcdef');
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, 'HEAD'), 'ref: refs/heads/main\n');
  await store.take(project, 'x');
  const [aside = ''] = legacyFolders(store);
  assert.match(aside, /legacy-\d+$/);
  assert.equal(readFileSync(join(aside, '0123456789abcdef', 'HEAD'), 'utf8'), 'ref: refs/heads/main\n');
  assert.ok(!existsSync(old));
});

test('commands that may lose files are known', () => {
  const home = { userHome: '/home/ann', homePath: '/home/ann/.hermes' };
  for (const command of [
    'rm -rf x',
    'cd a && mv b c',
    'echo x > f',
    "sed -i 's/a/b/' f",
    'git checkout -- .',
    'sudo rm x',
    'for f in *; do rm $f; done',
    'if true; then /bin/mv a b; fi',
    'FORCE=1 rm x',
    "bash -c 'rm x'",
    'find . -name x -delete',
    'git -C sub reset --hard',
    'make &> out',
    'if broken',
  ])
    assert.ok(isDestructive(command, home), command);
  for (const command of [
    'ls',
    'echo x >> f',
    'make 2>&1',
    'cat f > /dev/null',
    'git status',
    'node -e "a => b"',
    'echo "rm x"',
    'grep rm f',
    'sed -n 1p f',
  ])
    assert.ok(!isDestructive(command, home), command);
});
