/** Anthropic's own API, with a key. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const anthropic: ProviderProfile = {
  id: 'anthropic',
  name: 'Anthropic',
  aliases: ['claude', 'claude-code', 'claude-oauth'],
  apiMode: 'anthropic_messages',
  fixedApiMode: true,
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  baseUrlVariableIsShared: true,
  keyVariables: ['ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'],
  keysByHost: [{ domain: 'azure.com', variable: 'AZURE_ANTHROPIC_KEY' }],
  auth: 'api_key',
  sideRank: { vision: 4 },
  signupUrl: 'https://console.anthropic.com/settings/keys',
  defaultModel: 'claude-sonnet-4-6',
  auxModel: 'claude-haiku-4-5-20251001',
  models: ['claude-sonnet-4-6', 'claude-opus-4-6', 'claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5-20251001'],
  modelsUrl: 'https://api.anthropic.com/v1/models',
};
