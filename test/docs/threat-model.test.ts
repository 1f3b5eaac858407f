/** Each promise of the threat model names a test, and that test is there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('every promise names a test that exists', () => {
  const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'));
  assert.ok(rows.length > 20, 'the table of promises is there');
  for (const row of rows) {
    const [, file = '', name = ''] = /`(test\/[^`]+)`: “(.+)” \|$/.exec(row) ?? [];
    assert.ok(existsSync(join(root, file)) && file !== '', row);
    const said = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
    assert.ok(said.includes(name) && name !== '', `${file} has no test “${name}”`);
  }
});
