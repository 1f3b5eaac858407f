/** Moonshot in China: the Kimi models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const kimiCodingCn: ProviderProfile = {
  id: 'kimi-coding-cn',
  name: 'Kimi (Moonshot, China)',
  aliases: ['kimi-cn', 'moonshot-cn'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.moonshot.cn/v1',
  keyVariables: ['KIMI_CN_API_KEY'],
  auth: 'api_key',
  modelsDev: ['moonshotai-cn', 'moonshotai'],
  signupUrl: 'https://platform.moonshot.cn/console/api-keys',
  defaultModel: 'kimi-k2.5',
  auxModel: 'kimi-k2-turbo-preview',
  models: ['kimi-k2.5', 'kimi-k2-thinking', 'kimi-k2-turbo-preview', 'kimi-k2-0905-preview'],
  // The name under which Kimi knows this agent.
  headers: { 'User-Agent': 'hermes-agent/1.0' },
  quirks: { reasoning: 'kimi', temperature: 'omit' },
  maxTokens: 32_000,
};
