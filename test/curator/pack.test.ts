/** Snapshots as files: what goes in comes out, and a hostile one writes nowhere else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Header, type HeaderData } from 'tar';
import { packFolder, unpackInto } from '../../src/curator/pack.ts';
import { UserError } from '../../src/lib/errors.ts';
import { makeHome } from '../skills/support.ts';

function folders(t: TestContext) {
  const home = makeHome(t);
  let count = 0;
  return (name: string): string => {
    const folder = join(home.path, `${name}-${(count += 1)}`);
    mkdirSync(folder);
    return folder;
  };
}

/** An archive of these entries, each with its name as its content. */
function archiveOf(folder: string, entries: readonly HeaderData[]): string {
  const blocks = entries.map((entry) => {
    const content = Buffer.from(entry.type === 'File' ? (entry.path ?? '') : '');
    const header = Buffer.alloc(512);
    new Header({ mode: 0o644, mtime: new Date(0), ...entry, size: content.length }).encode(header);
    return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
  });
  const file = join(folder, 'made.tar.gz');
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)])));
  return file;
}

test('what is packed comes out as it was, whatever its names', async (t) => {
  const folder = folders(t);
  const part = fc.oneof(
    fc.stringMatching(/^[\p{L}\p{N} _@-]{1,60}$/u),
    fc.constantFrom('~x', '@list', '-r', '.hidden'),
  );
  const names = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, fc.uint8Array({ maxLength: 1_200 }), { maxKeys: 6 }), async (files) => {
      const from = folder('from');
      const to = folder('to');
      for (const [name, bytes] of Object.entries(files)) {
        try {
          mkdirSync(join(from, name, '..'), { recursive: true });
          writeFileSync(join(from, name), bytes, { flag: 'wx' });
        } catch {
          // One name is the folder of another, or too long for the file system.
        }
      }
      const file = join(folder('file'), 'a.tar.gz');
      await packFolder(from, new Set(), file);
      await unpackInto(file, to);
      const all = readdirSync(from, { recursive: true, encoding: 'utf8' }).sort();
      assert.deepEqual(readdirSync(to, { recursive: true, encoding: 'utf8' }).sort(), all);
      for (const name of all) {
        if (statSync(join(from, name)).isFile()) {
          assert.deepEqual(readFileSync(join(to, name)), readFileSync(join(from, name)), name);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('links come back as links wherever they lead, scripts stay executable, and what is left out stays out', async (t) => {
  const folder = folders(t);
  const from = folder('from');
  const to = folder('to');
  mkdirSync(join(from, 'skill/scripts'), { recursive: true });
  mkdirSync(join(from, '.hub'));
  writeFileSync(join(from, '.hub/lock.json'), '{}');
  writeFileSync(join(from, 'skill/scripts/run.sh'), 'echo', { mode: 0o755 });
  const links = { absolute: join(from, '..'), above: '../../elsewhere', dangling: 'nowhere', inside: 'skill' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(from, name));
  const file = join(folder('file'), 'a.tar.gz');
  await packFolder(from, new Set(['.hub']), file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await unpackInto(file, to);
  for (const [name, target] of Object.entries(links)) assert.equal(readlinkSync(join(to, name)), target);
  assert.equal(statSync(join(to, 'skill/scripts/run.sh')).mode & 0o777, 0o755);
  assert.ok(!existsSync(join(to, '.hub')));
});

test('sockets are left out, and files with two names have both', { skip: process.platform === 'win32' }, async (t) => {
  const folder = folders(t);
  const from = folder('from');
  const to = folder('to');
  const server = createServer().listen(join(from, 'socket'));
  await once(server, 'listening');
  t.after(() => server.close());
  writeFileSync(join(from, 'one'), 'text');
  linkSync(join(from, 'one'), join(from, 'two'));
  const file = join(folder('file'), 'a.tar.gz');
  await packFolder(from, new Set(), file);
  await unpackInto(file, to);
  assert.deepEqual(readdirSync(to).sort(), ['one', 'two']);
  assert.equal(readFileSync(join(to, 'two'), 'utf8'), 'text');
});

test('a file with many names is packed again and again without anything that nobody awaits', async (t) => {
  const folder = folders(t);
  const from = folder('from');
  writeFileSync(join(from, 'one'), 'text');
  for (const name of ['two', 'three', 'four', 'five', 'six']) linkSync(join(from, 'one'), join(from, name));
  const file = join(folder('file'), 'a.tar.gz');
  // It went wrong 3 times in a hundred, behind the back of whoever waited for the archive.
  for (let round = 0; round < 200; round += 1) await packFolder(from, new Set(), file);
  const to = folder('to');
  await unpackInto(file, to);
  assert.deepEqual(readdirSync(to).length, 6);
});

test('a folder that is too large is refused before anything is kept of it', async (t) => {
  const folder = folders(t);
  const from = folder('from');
  writeFileSync(join(from, 'model.bin'), '');
  truncateSync(join(from, 'model.bin'), 257 * 1024 * 1024);
  const file = join(folder('file'), 'a.tar.gz');
  await assert.rejects(packFolder(from, new Set(), file), /too large for a snapshot/);
  assert.ok(statSync(file).size < 1_024);
});

test('an archive cannot write outside of its folder, nor through a link', async (t) => {
  const folder = folders(t);
  const outside = folder('outside');
  const hostile: readonly HeaderData[][] = [
    [{ path: '../out', type: 'File' }],
    [{ path: join(outside, 'out'), type: 'File' }],
    [{ path: 'a/../../out', type: 'File' }],
    [{ path: '../out', type: 'SymbolicLink', linkpath: 'x' }],
    [{ path: 'hard', type: 'Link', linkpath: '../outside-1/secret' }],
    [
      { path: 'zz', type: 'SymbolicLink', linkpath: outside },
      { path: 'zz/out', type: 'File' },
    ],
    [
      { path: 'zz', type: 'SymbolicLink', linkpath: outside },
      { path: 'zz/out', type: 'SymbolicLink', linkpath: 'x' },
    ],
  ];
  writeFileSync(join(outside, 'secret'), 'secret');
  for (const entries of hostile) {
    const to = folder('to');
    await assert.rejects(unpackInto(archiveOf(folder('file'), entries), to), UserError, JSON.stringify(entries));
    assert.deepEqual(readdirSync(outside), ['secret']);
    assert.ok(!existsSync(join(to, '../out')) && lstatSync(to).isDirectory());
    assert.ok(!existsSync(join(to, 'hard')));
  }
});
