/** A number with its noun. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from '../../src/lib/counted.ts';

test('one thing is one, all else are many', () => {
  const said = [counted(0, 'file'), counted(1, 'file'), counted(2, 'file'), counted(1, 'entry', 'entries')];
  assert.deepEqual(said, ['0 files', '1 file', '2 files', '1 entry']);
  assert.equal(counted(3, 'entry', 'entries'), '3 entries');
});
