/** Kilo Gateway: one key for the models of many providers. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const kilocode: ProviderProfile = {
  id: 'kilocode',
  name: 'Kilo Gateway',
  aliases: ['kilo', 'kilo-code', 'kilo-gateway'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.kilo.ai/api/gateway',
  baseUrlVariable: 'KILOCODE_BASE_URL',
  keyVariables: ['KILOCODE_API_KEY'],
  auth: 'api_key',
  modelsDev: ['kilo'],
  aggregator: true,
  wantsMaker: true,
  signupUrl: 'https://app.kilo.ai',
  defaultModel: 'anthropic/claude-sonnet-4.6',
  auxModel: 'google/gemini-3-flash-preview',
  models: ['anthropic/claude-sonnet-4.6', 'openai/gpt-5.4', 'google/gemini-3-flash-preview'],
};
