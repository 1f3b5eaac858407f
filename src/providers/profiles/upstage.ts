/** Upstage: the Solar models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const upstage: ProviderProfile = {
  id: 'upstage',
  name: 'Upstage',
  aliases: ['solar'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.upstage.ai/v1',
  baseUrlVariable: 'UPSTAGE_BASE_URL',
  keyVariables: ['UPSTAGE_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://console.upstage.ai/api-keys',
  defaultModel: 'solar-pro3',
  models: ['solar-pro3'],
};
