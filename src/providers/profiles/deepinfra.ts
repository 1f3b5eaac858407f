/** DeepInfra: hosted open models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const deepinfra: ProviderProfile = {
  id: 'deepinfra',
  name: 'DeepInfra',
  aliases: ['deep-infra', 'deepinfra-ai'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  baseUrlVariable: 'DEEPINFRA_BASE_URL',
  keyVariables: ['DEEPINFRA_API_KEY'],
  auth: 'api_key',
  aggregator: true,
  signupUrl: 'https://deepinfra.com/dash/api_keys',
  defaultModel: 'deepseek-ai/DeepSeek-V4-Flash',
  auxModel: 'deepseek-ai/DeepSeek-V4-Flash',
  models: ['deepseek-ai/DeepSeek-V4-Flash'],
};
