/** Which provider a bare name of a model means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeModel } from '../../src/providers/place-model.ts';
import { sourcesOf } from './sources.ts';

const known: Readonly<Record<string, readonly string[]>> = {
  openrouter: ['anthropic/claude-opus-4.6', 'openai/gpt-5.4', 'qwen/qwen3'],
  anthropic: ['claude-opus-4-6'],
  'openai-api': ['gpt-5.4'],
  copilot: ['gpt-5.4'],
  'opencode-zen': ['gpt-5.4'],
};
const keys = {
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  GITHUB_TOKEN: 'github_pat_0123456789',
  OPENCODE_ZEN_API_KEY: 'zen-0123456789',
};

async function place(model: string, current: string, env: Record<string, string> = keys, stored: string[] = []) {
  const knowledge = { models: (provider: string) => Promise.resolve(known[provider] ?? []) };
  const settings = {
    stored: { active: () => undefined, has: (provider: string) => stored.includes(provider), login: () => undefined },
  };
  const { provider, model: placed } = await placeModel(model, current, { ...sourcesOf(settings, env), knowledge });
  return `${provider} ${placed}`;
}

test('on an aggregator the maker is filled in, tags stay, and nothing leaves it', async () => {
  assert.equal(await place('claude-opus-4.6', 'openrouter'), 'openrouter anthropic/claude-opus-4.6');
  assert.equal(await place('Qwen3:free', 'openrouter'), 'openrouter qwen/qwen3:free');
  assert.equal(await place('claude-opus-4-6', 'openrouter'), 'openrouter claude-opus-4-6');
});

test('elsewhere a provider with credentials that serves it is taken, its maker first', async () => {
  const openAi = { ...keys, OPENAI_API_KEY: 'sk-proj-0123456789' };
  assert.equal(await place('gpt-5.4', 'anthropic', openAi), 'openai-api gpt-5.4');
  assert.equal(await place('gpt-5.4', 'anthropic', keys, ['openai-api']), 'openai-api gpt-5.4');
  assert.equal(await place('gpt-5.4', 'anthropic'), 'opencode-zen gpt-5.4', 'a GitHub token is not a login to Copilot');
  assert.equal(await place('claude-opus-4-6', 'anthropic', openAi), 'anthropic claude-opus-4-6');
});

test('then OpenRouter, and else the current one, which may know more', async () => {
  const openRouter = { OPENROUTER_API_KEY: 'sk-or-v1-0123456789' };
  assert.equal(await place('qwen3', 'anthropic', openRouter), 'openrouter qwen/qwen3');
  assert.equal(await place('qwen3', 'anthropic', {}), 'anthropic qwen3');
  assert.equal(await place('brand-new', 'anthropic', openRouter), 'anthropic brand-new');
});

test('an endpoint of one’s own is never left', async () => {
  for (const current of ['custom', 'custom:work', 'local']) {
    assert.equal(await place('gpt-5.4', current, { OPENAI_API_KEY: 'sk-proj-0123456789' }), `${current} gpt-5.4`);
  }
});
