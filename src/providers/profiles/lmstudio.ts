/** LM Studio on this machine. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const lmstudio: ProviderProfile = {
  id: 'lmstudio',
  name: 'LM Studio',
  aliases: ['lm-studio', 'lm_studio'],
  apiMode: 'chat_completions',
  baseUrl: 'http://127.0.0.1:1234/v1',
  baseUrlVariable: 'LM_BASE_URL',
  keyVariables: ['LM_API_KEY'],
  auth: 'optional_api_key',
  usualPath: '/v1',
  loadsModels: true,
  modelsDev: [],
};
