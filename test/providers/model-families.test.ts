/** Which model a word such as `sonnet` means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestOfFamily } from '../../src/providers/model-families.ts';
import { sourcesOf } from './sources.ts';

const known: Readonly<Record<string, readonly string[]>> = {
  openrouter: [
    'anthropic/claude-sonnet-4',
    'anthropic/claude-sonnet-4.6',
    'anthropic/claude-sonnet-4.6:free',
    'openai/gpt-5.4-pro',
    'openai/gpt-5.4',
    'openai/gpt-oss-120b',
    'openai/gpt-4o',
    'google/gemini-3-flash-preview',
    'google/gemini-3-pro-preview',
    'x-ai/grok-4.1-fast',
    'x-ai/grok-4.20',
  ],
  anthropic: ['claude-opus-4-20250514', 'claude-opus-4-5', 'claude-opus-4-6', 'claude-opus-4-6-20260205'],
  'kimi-coding': ['kimi-k2.5', 'kimi-k2-thinking'],
};
const anthropicKey = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };

async function meant(word: string, current: string, env: Record<string, string> = {}) {
  const knowledge = { models: (provider: string) => Promise.resolve(known[provider] ?? []) };
  const found = await newestOfFamily(word, current, { ...sourcesOf({}, env), knowledge });
  return found === undefined ? undefined : `${found.provider} ${found.model}`;
}

test('the newest of the family at the provider in use, the plain one of several', async () => {
  assert.equal(await meant('sonnet', 'openrouter'), 'openrouter anthropic/claude-sonnet-4.6');
  assert.equal(await meant('GPT', 'openrouter'), 'openrouter openai/gpt-5.4');
  assert.equal(await meant('gemini', 'openrouter'), 'openrouter google/gemini-3-pro-preview');
  assert.equal(await meant('grok', 'openrouter'), 'openrouter x-ai/grok-4.20');
  assert.equal(await meant('opus', 'anthropic'), 'anthropic claude-opus-4-6');
  assert.equal(await meant('kimi', 'kimi-coding'), undefined, 'the name of the provider in use means the provider');
});

test('else at one that has a key; the name of a provider that has one means the provider', async () => {
  assert.equal(await meant('opus', 'deepseek', anthropicKey), 'anthropic claude-opus-4-6');
  assert.equal(await meant('opus', 'deepseek'), undefined);
  assert.equal(await meant('claude', 'openrouter', anthropicKey), undefined);
  assert.equal(await meant('claude', 'openrouter'), 'openrouter anthropic/claude-sonnet-4.6');
});

test('an endpoint of one’s own is not left, and other words mean nothing', async () => {
  assert.equal(await meant('opus', 'custom', anthropicKey), undefined);
  assert.equal(await meant('opus', 'custom:work', anthropicKey), undefined);
  assert.equal(await meant('sonnet-4', 'openrouter'), undefined);
});
