/** Arcee. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const arcee: ProviderProfile = {
  id: 'arcee',
  name: 'Arcee',
  aliases: ['arcee-ai', 'arceeai'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.arcee.ai/api/v1',
  baseUrlVariable: 'ARCEE_BASE_URL',
  keyVariables: ['ARCEEAI_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://chat.arcee.ai',
  defaultModel: 'trinity-large-preview',
  models: ['trinity-large-preview', 'trinity-mini'],
};
