/** Xiaomi: the MiMo models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const xiaomi: ProviderProfile = {
  id: 'xiaomi',
  name: 'Xiaomi MiMo',
  aliases: ['mimo', 'xiaomi-mimo'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.xiaomimimo.com/v1',
  baseUrlVariable: 'XIAOMI_BASE_URL',
  keyVariables: ['XIAOMI_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://platform.xiaomimimo.com',
  modelSpelling: 'small_letters',
  defaultModel: 'mimo-v2-flash',
  models: ['mimo-v2-flash', 'mimo-v2-pro'],
};
