/** OpenRouter: one key for the models of many providers. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const openrouter: ProviderProfile = {
  id: 'openrouter',
  name: 'OpenRouter',
  description: 'one key, many models',
  aliases: ['or'],
  apiMode: 'chat_completions',
  baseUrl: 'https://openrouter.ai/api/v1',
  baseUrlVariable: 'OPENROUTER_BASE_URL',
  keyVariables: ['OPENROUTER_API_KEY'],
  keyDomains: ['openrouter.ai'],
  boundKeys: true,
  auth: 'api_key',
  sideRank: { text: 1, vision: 1 },
  aggregator: true,
  wantsMaker: true,
  signupUrl: 'https://openrouter.ai/keys',
  // OpenRouter's own choice of a model, which never goes out of date.
  defaultModel: 'openrouter/auto',
  auxModel: 'google/gemini-3-flash-preview',
  models: [
    'anthropic/claude-sonnet-4.6',
    'anthropic/claude-opus-4.6',
    'openai/gpt-5.4',
    'google/gemini-3-flash-preview',
    'deepseek/deepseek-v3.2',
    'moonshotai/kimi-k2.5',
    'openrouter/auto',
    'deepseek/deepseek-chat',
    'qwen/qwen3-plus',
  ],
  headers: {
    'HTTP-Referer': 'https://www.npmjs.com/package/hermes-agent',
    'X-OpenRouter-Title': 'Hermes Agent',
    'X-OpenRouter-Categories': 'cli-agent',
  },
  quirks: { reasoning: 'openrouter', sessionField: 'session_id', claudeOutputCap: true, cacheMarks: true },
};
