/** Vercel AI Gateway: one key for the models of many providers. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const aiGateway: ProviderProfile = {
  id: 'ai-gateway',
  name: 'Vercel AI Gateway',
  aliases: ['aigateway', 'vercel', 'vercel-ai-gateway'],
  apiMode: 'chat_completions',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  baseUrlVariable: 'AI_GATEWAY_BASE_URL',
  keyVariables: ['AI_GATEWAY_API_KEY'],
  keyDomains: ['ai-gateway.vercel.sh'],
  boundKeys: true,
  auth: 'api_key',
  modelsDev: ['vercel'],
  aggregator: true,
  signupUrl: 'https://vercel.com/ai-gateway',
  defaultModel: 'anthropic/claude-sonnet-4.6',
  auxModel: 'google/gemini-3-flash',
  models: ['anthropic/claude-sonnet-4.6', 'openai/gpt-5.4', 'google/gemini-3-flash'],
  quirks: { reasoning: 'gateway' },
};
