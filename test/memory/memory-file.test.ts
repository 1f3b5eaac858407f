/** A memory file that others save while it is being changed. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { MemoryFile } from '../../src/memory/memory-file.ts';
import { deltaOf, withDelta } from '../../src/memory/merge-entries.ts';
import { place } from './killed-writers.ts';

function fileIn(t: TestContext) {
  const { folder } = place(t);
  mkdirSync(folder);
  const path = join(folder, 'MEMORY.md');
  const file = new MemoryFile(path, `${path}.last`);
  const add = (text: string) => file.change((entries) => [...entries, text]);
  return { path, file, add };
}

test('an edit that comes while a change is on its way to the disk is in the file with it', async (t) => {
  const { path, file, add } = fileIn(t);
  await add('first');
  let asked = 0;
  await file.change((entries) => {
    // Another program saves after we have read the file.
    if (asked++ === 0) writeFileSync(path, 'first\n§\nby hand');
    return [...entries, 'ours'];
  });
  assert.equal(asked, 2);
  assert.equal(readFileSync(path, 'utf8'), 'first\n§\nby hand\n§\nours');
});

test('a file that is empty because somebody is saving it in place is waited for, not written over', async (t) => {
  const { path, file, add } = fileIn(t);
  await add('first');
  writeFileSync(path, '');
  assert.deepEqual(file.entries(), ['first'], 'nor is it read as empty');
  const adding = add('ours');
  setTimeout(() => writeFileSync(path, 'first\n§\nby hand'), 100);
  await adding;
  assert.equal(readFileSync(path, 'utf8'), 'first\n§\nby hand\n§\nours');
});

test('a file that stays empty was emptied on purpose; what was in it is kept beside it', async (t) => {
  const { path, add } = fileIn(t);
  await add('first');
  writeFileSync(path, '');
  await add('ours');
  assert.equal(readFileSync(path, 'utf8'), 'ours');
  assert.equal(readFileSync(`${path}.bak`, 'utf8'), 'first');
});

test('a file that was taken away is a new one, also for who only reads it', async (t) => {
  const { path, file, add } = fileIn(t);
  await add('first');
  rmSync(path);
  assert.deepEqual(file.entries(), []);
});

test('a save by somebody who had read the file before our change does not take the change back', async (t) => {
  const { path, file, add } = fileIn(t);
  await add('first');
  await add('ours');
  writeFileSync(path, 'first\n§\nby hand');
  assert.deepEqual(file.entries(), ['first', 'by hand', 'ours']);
  await add('next');
  assert.equal(readFileSync(path, 'utf8'), 'first\n§\nby hand\n§\nours\n§\nnext');
});

const entries = fc.uniqueArray(fc.stringMatching(/^[a-z]{4}$/), { maxLength: 8 });

test('merging keeps what both added, drops what both removed, and is the same when done twice', () => {
  fc.assert(
    fc.property(entries, entries, entries, (base, ours, theirs) => {
      const delta = deltaOf(base, ours);
      const merged = withDelta(theirs, delta);
      for (const entry of ours) if (!base.includes(entry)) assert.ok(merged.includes(entry), 'our additions are there');
      for (const entry of delta.removed) assert.ok(!merged.includes(entry), 'what we removed is not');
      for (const entry of theirs) assert.ok(merged.includes(entry) || delta.removed.includes(entry), 'theirs stay');
      assert.equal(new Set(merged).size, merged.length);
      assert.deepEqual(withDelta(merged, delta), merged);
    }),
    { seed: 7 },
  );
});

test('a change on what nobody else changed gives exactly that change', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (base, at) => {
      const ours = base.length === 0 ? ['new'] : base.with(at % base.length, 'new');
      assert.deepEqual(withDelta(base, deltaOf(base, ours)), ours);
    }),
    { seed: 7 },
  );
});
