/** Files of this machine through the environment's contract. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLocalFiles } from '../../src/environments/local/local-files.ts';
import { makeDirectory } from './support.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('paths are made absolute: home, another user, relative, unknown user', () => {
  const files = createLocalFiles(() => '/work', '/home/me');
  assert.equal(files.resolve('~'), '/home/me');
  assert.equal(files.resolve('~/a b'), '/home/me/a b');
  assert.equal(files.resolve(`~${userInfo().username}/x`), join(userInfo().homedir, 'x'));
  assert.equal(files.resolve('~nobody-of-that-name/x'), '/work/~nobody-of-that-name/x');
  assert.equal(files.resolve('a/../b'), '/work/b');
  assert.equal(files.resolve('/abs'), '/abs');
});

const noProc = existsSync('/proc/self') ? false : 'there is no /proc here';

test('a write below /proc, where no directory can be made, fails at once', { skip: noProc }, async (t) => {
  const directory = makeDirectory(t);
  const files = createLocalFiles(() => directory, directory);
  await assert.rejects(files.write('/proc/none/file', bytes('x')), { code: 'ENOENT' });
});

test('a write makes parents, replaces the whole file, keeps its mode and leaves nothing else', async (t) => {
  const directory = makeDirectory(t);
  const files = createLocalFiles(() => directory, directory);
  const path = join(directory, 'a/b/file.sh');
  const first = await files.write(path, bytes('one'));
  assert.deepEqual(first.createdDirectories, [join(directory, 'a'), join(directory, 'a/b')]);
  chmodSync(path, 0o751);
  assert.deepEqual((await files.write(path, bytes('two'))).createdDirectories, []);
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.equal(statSync(path).mode & 0o7777, 0o751);
  assert.deepEqual(readdirSync(join(directory, 'a/b')), ['file.sh']);
});

test('a write through a link changes its target, also one that is missing', async (t) => {
  const directory = makeDirectory(t);
  const files = createLocalFiles(() => directory, directory);
  mkdirSync(join(directory, 'real'));
  writeFileSync(join(directory, 'real/target'), 'old');
  symlinkSync('real/target', join(directory, 'link'));
  symlinkSync('real/later', join(directory, 'dangling'));
  await files.write(join(directory, 'link'), bytes('new'));
  await files.write(join(directory, 'dangling'), bytes('made'));
  assert.equal(readFileSync(join(directory, 'real/target'), 'utf8'), 'new');
  assert.equal(readFileSync(join(directory, 'real/later'), 'utf8'), 'made');
  assert.deepEqual(readdirSync(directory).sort(), ['dangling', 'link', 'real']);
});

test('the real path of what does not exist yet follows every link on the way', async (t) => {
  const directory = makeDirectory(t);
  const files = createLocalFiles(() => directory, directory);
  mkdirSync(join(directory, 'real'));
  symlinkSync(join(directory, 'real'), join(directory, 'alias'));
  symlinkSync('alias/none', join(directory, 'dangling'));
  assert.equal(await files.realPath(join(directory, 'alias/x/y')), join(directory, 'real/x/y'));
  assert.equal(await files.realPath(join(directory, 'dangling/z')), join(directory, 'real/none/z'));
  symlinkSync('loop-b', join(directory, 'loop-a'));
  symlinkSync('loop-a', join(directory, 'loop-b'));
  await assert.rejects(files.realPath(join(directory, 'loop-a')), { code: 'ELOOP' });
});

test('what is there is told, what is not is undefined, and errors carry their codes', async (t) => {
  const directory = makeDirectory(t);
  const files = createLocalFiles(() => directory, directory);
  writeFileSync(join(directory, 'f'), 'abc');
  const found = await files.stat(join(directory, 'f'));
  assert.deepEqual([found?.kind, found?.size], ['file', 3]);
  assert.equal((await files.stat(directory))?.kind, 'directory');
  assert.equal((await files.stat('/dev/null'))?.kind, 'other');
  assert.equal(await files.stat(join(directory, 'none')), undefined);
  assert.equal(await files.stat(join(directory, 'f/below')), undefined);
  await assert.rejects(files.read(join(directory, 'none')), { code: 'ENOENT' });
  await assert.rejects(files.write(directory, bytes('x')), { code: 'EISDIR' });
  await files.rename(join(directory, 'f'), join(directory, 'g'));
  assert.deepEqual(await files.list(directory), ['g']);
  await files.remove(join(directory, 'g'));
  assert.deepEqual(await files.list(directory), []);
});
