/** Fireworks: hosted open models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const fireworks: ProviderProfile = {
  id: 'fireworks',
  name: 'Fireworks',
  aliases: ['fireworks-ai', 'fw'],
  apiMode: 'chat_completions',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY'],
  auth: 'api_key',
  modelsDev: ['fireworks-ai'],
  aggregator: true,
  signupUrl: 'https://fireworks.ai/account/api-keys',
  defaultModel: 'accounts/fireworks/models/kimi-k2p6',
  auxModel: 'accounts/fireworks/models/glm-5p2',
  models: [
    'accounts/fireworks/models/kimi-k2p6',
    'accounts/fireworks/models/glm-5p2',
    'accounts/fireworks/models/kimi-k2p7-code',
  ],
};
