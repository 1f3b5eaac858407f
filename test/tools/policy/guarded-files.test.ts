/** The guarded files, on real files with real links. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLocalFiles } from '../../../src/environments/local/local-files.ts';
import type { FileSystem } from '../../../src/environments/environment.ts';
import { createPathGuard } from '../../../src/safety/paths.ts';
import { createGuardedFiles } from '../../../src/tools/policy/guarded-files.ts';
import { PathDenied } from '../../../src/tools/policy/path-denied.ts';

async function setUp(t: TestContext) {
  const user = await realpath(await mkdtemp(join(tmpdir(), 'guarded-')));
  t.after(() => rm(user, { recursive: true, force: true }));
  const home = join(user, '.hermes');
  await mkdir(join(home, 'memories'), { recursive: true });
  await mkdir(join(user, '.ssh'));
  await mkdir(join(user, 'work'));
  await writeFile(join(home, '.env'), 'OPENAI_API_KEY=x');
  await writeFile(join(home, 'config.yaml'), 'approvals: {}');
  await writeFile(join(user, '.ssh', 'config'), 'Host a');
  await writeFile(join(user, 'work', 'a.txt'), 'hello');
  const local: FileSystem = createLocalFiles(() => join(user, 'work'), user);
  const files = createGuardedFiles(local, createPathGuard({ homePath: home, root: home, userHome: user }));
  return { user, home, work: join(user, 'work'), files, local };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytes = (content: string): Uint8Array => Buffer.from(content);
const denied = (start: RegExp) => (error: unknown) => error instanceof PathDenied && start.test(error.message);

test('ordinary files are read, written, listed, renamed and removed', async (t) => {
  const { files, work } = await setUp(t);
  assert.equal(text(await files.read(join(work, 'a.txt'))), 'hello');
  await files.write(join(work, 'new', 'b.txt'), bytes('b'));
  await files.rename(join(work, 'new', 'b.txt'), join(work, 'c.txt'));
  await files.remove(join(work, 'a.txt'));
  assert.deepEqual([...(await files.list(work))].sort(), ['c.txt', 'new']);
});

test('protected files are refused, also through links to them and to their directories', async (t) => {
  const { files, user, home, work } = await setUp(t);
  await symlink(join(user, '.ssh', 'config'), join(work, 'link'));
  await symlink(home, join(work, 'dir'));
  for (const path of [
    join(user, '.ssh', 'config'),
    join(work, 'link'),
    join(work, 'dir', '.env'),
    join(work, '..', '.hermes', '.env'),
  ]) {
    await assert.rejects(files.read(path), denied(/^Access denied: /), path);
    await assert.rejects(
      files.write(path, bytes('x')),
      denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
      path,
    );
  }
  await assert.rejects(
    files.write(join(work, 'dir', 'config.yaml'), bytes('x')),
    denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
  );
  await assert.rejects(files.list(join(user, '.ssh')), denied(/^Access denied: /));
  assert.equal(await readFile(join(user, '.ssh', 'config'), 'utf8'), 'Host a');
  assert.equal(await readFile(join(home, 'config.yaml'), 'utf8'), 'approvals: {}');
});

test('memories stay writable', async (t) => {
  const { files, home } = await setUp(t);
  await files.write(join(home, 'memories', 'MEMORY.md'), bytes('fact'));
  assert.equal(await readFile(join(home, 'memories', 'MEMORY.md'), 'utf8'), 'fact');
});

test('a protected file is not moved away, moved over, or removed, nor is a directory that holds one', async (t) => {
  const { files, user, home, work } = await setUp(t);
  await assert.rejects(
    files.rename(join(home, '.env'), join(work, 'env')),
    denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
  );
  await assert.rejects(
    files.rename(join(work, 'a.txt'), join(home, 'config.yaml')),
    denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
  );
  await assert.rejects(
    files.rename(home, join(work, 'home')),
    denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
  );
  await assert.rejects(
    files.remove(join(user, '.ssh', 'config')),
    denied(/^(?:Write denied|Refusing to write to Hermes config file): /),
  );
  assert.deepEqual(await readdir(work), ['a.txt']);
});

test('removing a link removes the link and not its target', async (t) => {
  const { files, user, work } = await setUp(t);
  await symlink(join(user, '.ssh', 'config'), join(work, 'link'));
  await files.remove(join(work, 'link'));
  await assert.rejects(readlink(join(work, 'link')), { code: 'ENOENT' });
  assert.equal(await readFile(join(user, '.ssh', 'config'), 'utf8'), 'Host a');
});

test('what was judged is what is used, even when the link changes in between', async (t) => {
  const { user, work, local, home } = await setUp(t);
  await symlink(join(work, 'a.txt'), join(work, 'link'));
  const guard = createPathGuard({ homePath: home, root: home, userHome: user });
  const swapping: FileSystem = {
    ...local,
    async realPath(path) {
      const real = await local.realPath(path);
      if (path.endsWith('/link')) {
        await rm(join(work, 'link'));
        await symlink(join(user, '.ssh', 'config'), join(work, 'link'));
      }
      return real;
    },
  };
  const files = createGuardedFiles(swapping, guard);
  assert.equal(text(await files.read(join(work, 'link'))), 'hello');
});

test('a read is thrown away when a directory on its way became a link meanwhile', async (t) => {
  const { user, work, local, home } = await setUp(t);
  await mkdir(join(work, 'd'));
  await writeFile(join(work, 'd', 'config'), 'mine');
  const guard = createPathGuard({ homePath: home, root: home, userHome: user });
  const swapping: FileSystem = {
    ...local,
    async read(path) {
      await rm(join(work, 'd'), { recursive: true });
      await symlink(join(user, '.ssh'), join(work, 'd'));
      return await local.read(path);
    },
  };
  await assert.rejects(createGuardedFiles(swapping, guard).read(join(work, 'd', 'config')), denied(/^Access denied: /));
});
