/** OpenCode Go: a subscription for open coding models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const opencodeGo: ProviderProfile = {
  id: 'opencode-go',
  name: 'OpenCode Go',
  aliases: ['go', 'opencode-go-sub', 'opencode_go'],
  apiMode: 'chat_completions',
  // https://opencode.ai/docs/go/#endpoints
  apiModes: [{ models: /^(?:minimax|qwen)/, apiMode: 'anthropic_messages' }],
  baseUrl: 'https://opencode.ai/zen/go/v1',
  baseUrlVariable: 'OPENCODE_GO_BASE_URL',
  keyVariables: ['OPENCODE_GO_API_KEY'],
  auth: 'api_key',
  modelsDev: ['opencode-go', 'opencode'],
  billing: 'plan',
  aggregator: true,
  signupUrl: 'https://opencode.ai/go',
  defaultModel: 'glm-5',
  dropsMaker: true,
  auxModel: 'glm-5',
  models: ['glm-5', 'kimi-k2.5', 'minimax-m2.5'],
  quirks: { reasoning: 'opencode_go' },
};
