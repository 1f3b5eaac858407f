/** Files that are dropped onto the terminal. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { droppedPicture } from '../../../src/cli/interactive/dropped-picture.ts';

test('the path of a picture at the beginning is found, however the terminal writes it; the rest is what is said', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-dropped-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const plain = join(folder, 'a.png');
  const spaced = join(folder, 'my own picture.JPG');
  for (const path of [plain, spaced]) writeFileSync(path, 'x');
  writeFileSync(join(folder, 'notes.md'), 'x');
  mkdirSync(join(folder, 'folder.png'));
  const found = (text: string) => droppedPicture(text, { HOME: folder });
  assert.deepEqual(found(`${plain} what is this?`), { path: plain, rest: 'what is this?' });
  assert.deepEqual(found(` '${spaced}' `), { path: spaced, rest: '' });
  assert.deepEqual(found(`"${spaced}"\nand this?`), { path: spaced, rest: 'and this?' });
  assert.deepEqual(found(`${spaced.replaceAll(' ', '\\ ')} hm`), { path: spaced, rest: 'hm' });
  assert.deepEqual(found(`${spaced} hm`), { path: spaced, rest: 'hm' });
  assert.deepEqual(found(`${pathToFileURL(spaced).href} hm`), { path: spaced, rest: 'hm' });
  assert.deepEqual(found('~/a.png'), { path: plain, rest: '' });
  for (const other of [`look at ${plain}`, join(folder, 'notes.md'), join(folder, 'folder.png'), '/gone.png', '/help'])
    assert.equal(found(other), undefined, other);
});
