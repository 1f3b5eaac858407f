/** Where the entries of threads are found. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workerFile } from '../../src/lib/worker-file.ts';

const root = join(import.meta.dirname, '../..');

test('the entry of a thread is a file that is there, in the sources as in the build', () => {
  const dist = join(root, 'dist');
  for (const [folder, name] of [
    ['src/tools/web', 'page-worker'],
    ['src/pictures', 'picture-worker'],
    ['src/tools/file/documents', 'document-worker'],
  ] as const) {
    const source = { dirname: join(root, folder), filename: join(root, folder, 'x.ts') };
    assert.ok(existsSync(workerFile(source, name)), name);
    // A part of the build that starts a thread ends in .mjs, the entries in .js.
    const built = workerFile({ dirname: dist, filename: join(dist, 'part-1.mjs') }, name);
    assert.equal(built, join(dist, `${name}.js`));
    assert.ok(!existsSync(dist) || existsSync(built), built);
  }
});
