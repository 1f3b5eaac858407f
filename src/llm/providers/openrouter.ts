/** OpenRouter: one key for the models of many providers. */
import type { ProviderProfile } from '../provider.ts';

export const openrouter: ProviderProfile = {
  id: 'openrouter',
  aliases: [],
  apiMode: 'chat_completions',
  baseUrl: 'https://openrouter.ai/api/v1',
  baseUrlVariable: 'OPENROUTER_BASE_URL',
  keyVariables: ['OPENROUTER_API_KEY'],
  keyDomains: ['openrouter.ai'],
  auth: 'api_key',
  // OpenRouter's own choice of a model, which never goes out of date.
  defaultModel: 'openrouter/auto',
  headers: { 'X-OpenRouter-Title': 'Hermes Agent', 'X-OpenRouter-Categories': 'cli-agent' },
  quirks: { reasoning: 'openrouter', sessionField: 'session_id', claudeOutputCap: true },
};
