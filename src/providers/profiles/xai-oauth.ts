/** xAI: the Grok models on a subscription, after a login. */
import type { ProviderProfile } from '../../llm/provider.ts';
import { conversationHeader } from './conversation-header.ts';

export const xaiOauth: ProviderProfile = {
  id: 'xai-oauth',
  name: 'xAI (login)',
  aliases: ['grok-oauth', 'x-ai-oauth', 'xai-grok-oauth'],
  apiMode: 'codex_responses',
  baseUrl: 'https://api.x.ai/v1',
  baseUrlVariable: 'HERMES_XAI_BASE_URL',
  keyVariables: [],
  auth: 'oauth_pkce',
  modelsDev: ['xai'],
  billing: 'plan',
  defaultModel: 'grok-4.1-fast',
  models: ['grok-4.20', 'grok-4.1-fast', 'grok-4', 'grok-code-fast-1'],
  requestHeaders: conversationHeader,
  quirks: { reasoningParameter: false },
};
