/** Moonshot: the Kimi models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const kimiCoding: ProviderProfile = {
  id: 'kimi-coding',
  name: 'Kimi (Moonshot)',
  aliases: ['kimi', 'moonshot', 'kimi-for-coding'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.moonshot.ai/v1',
  baseUrlVariable: 'KIMI_BASE_URL',
  baseUrlByKey: [{ prefix: 'sk-kimi-', baseUrl: 'https://api.kimi.com/coding/v1' }],
  keyVariables: ['KIMI_API_KEY', 'KIMI_CODING_API_KEY'],
  auth: 'api_key',
  // The coding plan lists its models at no price, but the usual address bills by the token.
  modelsDev: ['moonshotai', 'kimi-for-coding'],
  signupUrl: 'https://platform.moonshot.ai/console/api-keys',
  defaultModel: 'kimi-k2.5',
  auxModel: 'kimi-k2-turbo-preview',
  models: ['kimi-k2.5', 'kimi-k2-thinking', 'kimi-k2-turbo-preview', 'kimi-k2-0905-preview'],
  // The name under which Kimi knows this agent.
  headers: { 'User-Agent': 'hermes-agent/1.0' },
  quirks: { reasoning: 'kimi', temperature: 'omit' },
  maxTokens: 32_000,
};
