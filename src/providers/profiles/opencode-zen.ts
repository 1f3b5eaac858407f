/** OpenCode Zen: models that were tried with coding agents. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const opencodeZen: ProviderProfile = {
  id: 'opencode-zen',
  name: 'OpenCode Zen',
  aliases: ['opencode', 'zen', 'opencode_zen'],
  apiMode: 'chat_completions',
  // https://opencode.ai/docs/zen/#endpoints
  apiModes: [
    { models: /^(?:claude|qwen)/, apiMode: 'anthropic_messages' },
    { models: /^gpt/, apiMode: 'codex_responses' },
    { models: /^gemini/, apiMode: 'gemini_generate' },
  ],
  baseUrl: 'https://opencode.ai/zen/v1',
  baseUrlVariable: 'OPENCODE_ZEN_BASE_URL',
  keyVariables: ['OPENCODE_ZEN_API_KEY'],
  auth: 'api_key',
  modelsDev: ['opencode'],
  aggregator: true,
  signupUrl: 'https://opencode.ai/zen',
  defaultModel: 'claude-sonnet-4-6',
  dropsMaker: true,
  auxModel: 'gemini-3-flash',
  models: ['claude-sonnet-4-6', 'gpt-5.4', 'gemini-3-flash', 'glm-5', 'kimi-k2.5'],
};
