/** What messages are taken to weigh before a provider has counted them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { weighMessage, weighTools } from '../../src/llm/estimate.ts';

test('a picture weighs 1,600 tokens, however long its data is', () => {
  const text = { type: 'text', text: 'What is this?' } as const;
  const weigh = (data: string): number =>
    weighMessage({
      role: 'user',
      content: [text, { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
    });
  assert.equal(weigh('A') - weighMessage({ role: 'user', content: [text] }), 1600);
  assert.equal(weigh('A'.repeat(100_000)), weigh('A'));
});

test('tools weigh a quarter of their JSON, each time they are weighed', () => {
  const word = fc.string({ unit: 'grapheme' });
  const parameters = fc.dictionary(word, fc.constantFrom<string | number | null>('"', 1, null, 'é'));
  const tool = fc.record({ name: word, description: word, parameters });
  fc.assert(
    fc.property(fc.array(tool), (tools) => {
      const chars = tools.length === 0 ? 0 : JSON.stringify(tools).length;
      assert.equal(weighTools(tools), Math.floor(chars / 4));
      assert.equal(weighTools(tools), Math.floor(chars / 4));
    }),
    { seed: 7 },
  );
});
