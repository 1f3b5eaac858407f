/** OpenAI's own API, with a key. */
import type { ProviderProfile } from '../provider.ts';

export const openaiApi: ProviderProfile = {
  id: 'openai-api',
  aliases: [],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  keyVariables: ['OPENAI_API_KEY'],
  auth: 'api_key',
  defaultModel: 'gpt-5',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    developerRoleModels: /^(?:o\d|gpt-5)/,
    // Unknown message fields are refused here.
    replayReasoning: false,
    reasoning: 'reasoning_effort',
    sessionField: 'prompt_cache_key',
  },
};
