/** Nous Portal: a subscription with one login for the models of many providers. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const nous: ProviderProfile = {
  id: 'nous',
  name: 'Nous Portal',
  aliases: ['nous-portal', 'nousresearch'],
  apiMode: 'chat_completions',
  baseUrl: 'https://inference-api.nousresearch.com/v1',
  baseUrlVariable: 'NOUS_INFERENCE_BASE_URL',
  keyVariables: ['NOUS_API_KEY'],
  auth: 'oauth_device_code',
  sideRank: { text: 2, vision: 2 },
  modelsDev: ['nousresearch', 'openrouter'],
  aggregator: true,
  wantsMaker: true,
  signupUrl: 'https://portal.nousresearch.com',
  defaultModel: 'Hermes-4-405B',
  auxModel: 'google/gemini-3-flash-preview',
  models: [
    'Hermes-4-405B',
    'Hermes-4-70B',
    'anthropic/claude-sonnet-4.6',
    'openai/gpt-5.4',
    'google/gemini-3-flash-preview',
    'hermes-3-405b',
    'hermes-3-70b',
  ],
  extraBody: { tags: ['product=hermes-agent', 'client=hermes-client-v0.1.0'] },
  quirks: { reasoning: 'nous', cacheMarks: true },
};
