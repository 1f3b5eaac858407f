/** OpenAI's own API, with a key. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const openaiApi: ProviderProfile = {
  id: 'openai-api',
  name: 'OpenAI',
  aliases: ['openai'],
  // At its own host the address says Responses; what imitates it elsewhere mostly speaks this.
  apiMode: 'chat_completions',
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariables: ['OPENAI_API_KEY'],
  auth: 'api_key',
  plainModelNames: true,
  modelsDev: ['openai'],
  signupUrl: 'https://platform.openai.com/api-keys',
  defaultModel: 'gpt-5.4',
  models: ['gpt-5.4', 'gpt-5.4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-4.1'],
  quirks: {
    maxTokensField: 'max_completion_tokens',
    developerRoleModels: /^(?:o\d|gpt-5)/,
    // Unknown message fields are refused here.
    replayReasoning: false,
    reasoning: 'reasoning_effort',
    sessionField: 'prompt_cache_key',
  },
};
