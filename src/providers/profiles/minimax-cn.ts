/** MiniMax in China, over the messages protocol. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const minimaxCn: ProviderProfile = {
  id: 'minimax-cn',
  name: 'MiniMax (China)',
  aliases: ['minimax-china', 'minimax_cn'],
  apiMode: 'anthropic_messages',
  // Its imitation of OpenAI's format.
  apiModesByPath: [{ path: '/v1', apiMode: 'chat_completions' }],
  baseUrl: 'https://api.minimaxi.com/anthropic',
  baseUrlVariable: 'MINIMAX_CN_BASE_URL',
  keyVariables: ['MINIMAX_CN_API_KEY'],
  auth: 'api_key',
  signupUrl: 'https://platform.minimaxi.com',
  defaultModel: 'MiniMax-M2.7',
  auxModel: 'MiniMax-M3',
  models: ['MiniMax-M2.7', 'MiniMax-M2.7-highspeed', 'MiniMax-M2.5'],
  modelsUrl: null,
  quirks: { nativeAnthropic: false, dottedModelNames: true, videos: true },
};
