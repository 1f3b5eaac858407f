/** What the schemas of all tools have in common. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolCatalogue } from '../../src/tools/catalogue.ts';

test('no schema is bounded by what a number can hold: it tells a model nothing', async () => {
  for (const entry of toolCatalogue) {
    const { name, schema } = await entry.load();
    assert.doesNotMatch(JSON.stringify(schema), /9007199254740991/, name);
  }
});
