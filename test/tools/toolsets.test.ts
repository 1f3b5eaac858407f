/** Which names of toolsets are known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectTools } from '../../src/tools/toolsets.ts';

const catalogue = [
  { name: 'read_file', toolset: 'file' },
  { name: 'terminal', toolset: 'terminal' },
];

test('names that are no toolset are reported, also those that every object has', () => {
  const wanted = ['debugging', 'nonsense', 'constructor', '__proto__'];
  const { tools, unknown } = selectTools(catalogue, { wanted, disabled: ['file'], custom: {} });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['terminal'],
  );
  assert.deepEqual(unknown, ['nonsense', 'constructor', '__proto__']);
});
