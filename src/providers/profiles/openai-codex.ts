/** OpenAI's models on a ChatGPT subscription, after a login. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const openaiCodex: ProviderProfile = {
  id: 'openai-codex',
  name: 'OpenAI Codex (ChatGPT login)',
  aliases: ['codex', 'openai_codex'],
  apiMode: 'codex_responses',
  fixedApiMode: true,
  baseUrl: 'https://chatgpt.com/backend-api/codex',
  baseUrlVariable: 'HERMES_CODEX_BASE_URL',
  keyVariables: [],
  keyDomains: ['chatgpt.com'],
  auth: 'oauth_device_code',
  accountHeader: 'ChatGPT-Account-ID',
  sideRank: { text: 4, vision: 3 },
  modelsDev: ['openai'],
  billing: 'plan',
  dropsMaker: true,
  defaultModel: 'gpt-5.3-codex',
  auxModel: 'gpt-5.3-codex',
  models: ['gpt-5.3-codex', 'gpt-5.4', 'gpt-5.2-codex', 'gpt-5.1-codex-mini'],
  modelsUrl: null,
};
