/** DeepSeek. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const deepseek: ProviderProfile = {
  id: 'deepseek',
  name: 'DeepSeek',
  aliases: ['deep-seek', 'deepseek-chat'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.deepseek.com/v1',
  baseUrlVariable: 'DEEPSEEK_BASE_URL',
  keyVariables: ['DEEPSEEK_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://platform.deepseek.com/api_keys',
  defaultModel: 'deepseek-chat',
  auxModel: 'deepseek-chat',
  models: ['deepseek-chat', 'deepseek-reasoner'],
  quirks: { reasoning: 'deepseek' },
};
