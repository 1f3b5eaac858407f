/** Whole-file writes: what a reader sees, also when the writer dies at the worst moment. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../../src/lib/atomic-file.ts';

const module = fileURLToPath(new URL('../../src/lib/atomic-file.ts', import.meta.url));
const onlyFiles = process.platform === 'win32' && 'no pipes in the file system';
const noStrace = spawnSync('strace', ['-V']).status !== 0 && 'no strace';

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-atomic-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a file is made or replaced, for its owner only, and nothing else is left', (t) => {
  const directory = directoryFor(t);
  const path = join(directory, 'file');
  writeFileAtomic(path, 'one');
  writeFileSync(path, 'x'.repeat(1000));
  writeFileAtomic(path, 'zwei – 二');
  assert.equal(readFileSync(path, 'utf8'), 'zwei – 二');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['file']);
});

test('a pipe is written to and stays a pipe, also behind a link', { skip: onlyFiles }, (t) => {
  const directory = directoryFor(t);
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  symlinkSync('pipe', join(directory, 'link'));
  const reader = openSync(pipe, 'r+');
  t.after(() => closeSync(reader));
  assert.equal(writeFileAtomic(join(directory, 'link'), 'no', { onlyIf: () => false }), false);
  writeFileAtomic(join(directory, 'link'), 'what is new');
  assert.ok(lstatSync(pipe).isFIFO() && lstatSync(join(directory, 'link')).isSymbolicLink());
  assert.deepEqual(readdirSync(directory), ['link', 'pipe']);
  const read = Buffer.alloc(100);
  assert.equal(read.toString('utf8', 0, readSync(reader, read)), 'what is new');
});

test('a link stays a link, and what it leads to is replaced', (t) => {
  const directory = directoryFor(t);
  mkdirSync(join(directory, 'elsewhere'));
  writeFileSync(join(directory, 'elsewhere', 'target'), 'old');
  symlinkSync(join('elsewhere', 'target'), join(directory, 'link'));
  writeFileAtomic(join(directory, 'link'), 'new');
  assert.ok(lstatSync(join(directory, 'link')).isSymbolicLink());
  assert.equal(readlinkSync(join(directory, 'link')), join('elsewhere', 'target'));
  assert.equal(readFileSync(join(directory, 'elsewhere', 'target'), 'utf8'), 'new');
});

test('what cannot be written throws, and leaves no temporary file', (t) => {
  const directory = directoryFor(t);
  mkdirSync(join(directory, 'folder', 'inside'), { recursive: true });
  assert.throws(() => writeFileAtomic(join(directory, 'folder'), 'x'), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
  assert.throws(() => writeFileAtomic(join(directory, 'missing', 'file'), 'x'), { code: 'ENOENT' });
  assert.deepEqual(readdirSync(directory), ['folder']);
});

for (const [moment, call] of [
  ['before anything of the new text is on disk', 'fsync'],
  ['between the new text and the rename', 'rename,renameat,renameat2'],
] as const) {
  test(`killed ${moment}, the old text is whole`, { skip: noStrace }, (t) => {
    const directory = directoryFor(t);
    const path = join(directory, 'file');
    writeFileSync(path, 'old');
    const code = `import { writeFileAtomic } from ${JSON.stringify(module)};
      writeFileAtomic(${JSON.stringify(path)}, 'new'.repeat(10_000));`;
    const inject = ['-f', '-qq', '-o', '/dev/null', `-e`, `inject=${call}:signal=SIGKILL:when=1`];
    const node = [process.execPath, '--input-type=module', '-e', code];
    const run = spawnSync('strace', [...inject, ...node], { encoding: 'utf8' });
    assert.equal(run.signal ?? run.status, 'SIGKILL', run.stderr);
    assert.equal(readFileSync(path, 'utf8'), 'old');
    writeFileAtomic(path, 'new');
    assert.equal(readFileSync(path, 'utf8'), 'new');
  });
}
