/** What the name of a Claude model says about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claudeModel } from '../../../../src/llm/protocols/anthropic/claude-model.ts';

const table: readonly (readonly [string, string, string])[] = [
  ['claude-2.1', 'none', 'by_default'],
  ['claude-3-5-sonnet-20241022', 'none', 'by_default'],
  ['claude-3-7-sonnet-20250219', 'budget', 'by_default'],
  ['claude-sonnet-4@20250514', 'budget', 'by_default'],
  ['claude-opus-4-20250514', 'budget', 'by_default'],
  ['claude-opus-4.5', 'budget', 'by_default'],
  ['claude-haiku-4-5-20251001', 'none', 'by_default'],
  ['Claude-Opus-4.6', 'adaptive', 'by_default'],
  ['claude-4.6-opus-20260205', 'adaptive', 'by_default'],
  ['claude-opus-4-10', 'adaptive', 'by_default'],
  ['claude-opus-5', 'adaptive', 'disabled'],
  ['claude-5-sonnet', 'adaptive', 'disabled'],
  ['claude-sonnet-5-5', 'adaptive', 'between_tools'],
  ['claude-haiku-5-5', 'adaptive', 'disabled'],
  ['claude-opus-5-5', 'adaptive', 'never'],
  ['claude-fable-5', 'adaptive', 'never'],
  ['claude-mythos-preview', 'adaptive', 'never'],
  ['MiniMax-M2.7', 'budget', 'by_default'],
];
for (const [name, thinking, off] of table) {
  test(`${name}: thinking ${thinking}, off ${off}`, () => {
    const model = claudeModel(name);
    assert.deepEqual([model.thinking, model.off], [thinking, off]);
  });
}

test('fast mode belongs to some models', () => {
  const names = ['opus-4-5', 'opus-4-6', 'opus-4-7', 'opus-4-8', 'opus-5-5', 'sonnet-5-5', 'fable-5-1', 'fable-5-2'];
  assert.deepEqual(
    names.filter((name) => claudeModel(`claude-${name}`).fastMode),
    ['opus-4-6', 'opus-4-8', 'opus-5-5', 'fable-5-2'],
  );
});
