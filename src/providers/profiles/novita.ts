/** Novita: hosted open models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const novita: ProviderProfile = {
  id: 'novita',
  name: 'Novita',
  aliases: ['novita-ai', 'novitaai'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.novita.ai/openai/v1',
  baseUrlVariable: 'NOVITA_BASE_URL',
  keyVariables: ['NOVITA_API_KEY'],
  auth: 'api_key',
  modelsDev: ['novita-ai'],
  aggregator: true,
  signupUrl: 'https://novita.ai/settings/key-management',
  defaultModel: 'deepseek/deepseek-v3.2',
  auxModel: 'deepseek/deepseek-v3-0324',
  models: [
    'deepseek/deepseek-v3.2',
    'moonshotai/kimi-k2-thinking',
    'zai-org/glm-4.7',
    'moonshotai/kimi-k2.5',
    'minimax/minimax-m2.7',
    'zai-org/glm-5',
    'deepseek/deepseek-v3-0324',
    'deepseek/deepseek-r1-0528',
    'qwen/qwen3-235b-a22b-fp8',
  ],
};
