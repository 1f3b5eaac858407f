/** How hard a model is to think, by its name and by the words of a person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effortOverride, readEffort } from '../../src/llm/reasoning-effort.ts';

test('words beyond the strongest step ask for that step, and no other word is one', () => {
  assert.deepEqual(['none', ' LOW ', 'max', 'ultra', '', 'hard'].map(readEffort), [
    'none',
    'low',
    'xhigh',
    'xhigh',
    undefined,
    undefined,
  ]);
});

test('an override fits a model with or without its provider, with dots or dashes, and the most exact one wins', () => {
  const of = (overrides: Record<string, string>) => effortOverride(overrides, 'anthropic/claude-opus-4.6');
  for (const name of ['anthropic/claude-opus-4.6', 'claude-opus-4.6', 'Claude-Opus-4-6', 'openrouter/claude-opus-4-6'])
    assert.equal(of({ [name]: 'high' }), 'high', name);
  assert.equal(of({ 'claude-opus-4-6': 'low', 'anthropic/claude-opus-4.6': 'high' }), 'high');
  for (const name of ['claude-opus-4', 'claude-opus-4.6-fast', ''])
    assert.equal(of({ [name]: 'high' }), undefined, name);
  assert.equal(
    of({ 'claude-opus-4.6': 'very', 'claude-opus-4-6': 'low' }),
    'low',
    'a word that is none is passed over',
  );
});
