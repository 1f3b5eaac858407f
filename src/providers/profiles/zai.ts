/** Z.AI: the GLM models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const zai: ProviderProfile = {
  id: 'zai',
  name: 'Z.AI (GLM)',
  aliases: ['glm', 'z-ai', 'z.ai', 'zhipu'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  baseUrlVariable: 'GLM_BASE_URL',
  probeBaseUrls: [
    'https://api.z.ai/api/paas/v4',
    'https://open.bigmodel.cn/api/paas/v4',
    'https://api.z.ai/api/coding/paas/v4',
    'https://open.bigmodel.cn/api/coding/paas/v4',
  ],
  keyVariables: ['GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://z.ai/manage-apikey/apikey-list',
  defaultModel: 'glm-4.7',
  auxModel: 'glm-4.5-flash',
  models: ['glm-5', 'glm-4.7', 'glm-4.6', 'glm-4.5-flash', 'glm-5.2', 'glm-4-9b'],
  quirks: { reasoning: 'zai' },
};
