/** What messages are taken to weigh before a provider has counted them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weighMessage } from '../../src/llm/estimate.ts';

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
