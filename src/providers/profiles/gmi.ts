/** GMI Cloud: hosted models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const gmi: ProviderProfile = {
  id: 'gmi',
  name: 'GMI Cloud',
  aliases: ['gmi-cloud', 'gmicloud'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.gmi-serving.com/v1',
  baseUrlVariable: 'GMI_BASE_URL',
  keyVariables: ['GMI_API_KEY'],
  auth: 'api_key',
  aggregator: true,
  signupUrl: 'https://console.gmicloud.ai',
  defaultModel: 'deepseek-ai/DeepSeek-V3.2',
  auxModel: 'google/gemini-3.1-flash-lite-preview',
  models: [
    'deepseek-ai/DeepSeek-V3.2',
    'zai-org/GLM-4.7-FP8',
    'google/gemini-3.1-flash-lite-preview',
    'zai-org/GLM-5.1-FP8',
    'moonshotai/Kimi-K2.5',
    'anthropic/claude-sonnet-5',
    'anthropic/claude-sonnet-4.6',
    'openai/gpt-5.4',
  ],
  headers: { 'User-Agent': 'HermesAgent/0.1.0' },
};
