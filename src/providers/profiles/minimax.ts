/** MiniMax, over the messages protocol. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const minimax: ProviderProfile = {
  id: 'minimax',
  name: 'MiniMax',
  aliases: ['mini-max'],
  apiMode: 'anthropic_messages',
  // Its imitation of OpenAI's format.
  apiModesByPath: [{ path: '/v1', apiMode: 'chat_completions' }],
  baseUrl: 'https://api.minimax.io/anthropic',
  baseUrlVariable: 'MINIMAX_BASE_URL',
  keyVariables: ['MINIMAX_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://platform.minimax.io',
  defaultModel: 'MiniMax-M2.7',
  auxModel: 'MiniMax-M3',
  models: ['MiniMax-M2.7', 'MiniMax-M2.7-highspeed', 'MiniMax-M2.5'],
  modelsUrl: null,
  quirks: { nativeAnthropic: false, dottedModelNames: true, videos: true },
};
