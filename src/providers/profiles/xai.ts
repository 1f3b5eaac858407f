/** xAI: the Grok models, with a key. */
import type { ProviderProfile } from '../../llm/provider.ts';
import { conversationHeader } from './conversation-header.ts';

export const xai: ProviderProfile = {
  id: 'xai',
  name: 'xAI (Grok)',
  aliases: ['grok', 'x-ai', 'x.ai'],
  apiMode: 'codex_responses',
  baseUrl: 'https://api.x.ai/v1',
  baseUrlVariable: 'XAI_BASE_URL',
  keyVariables: ['XAI_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://console.x.ai',
  defaultModel: 'grok-4.1-fast',
  models: ['grok-4.20', 'grok-4.1-fast', 'grok-4', 'grok-code-fast-1'],
  requestHeaders: conversationHeader,
  quirks: { reasoningParameter: false },
};
