/** MiniMax on a subscription, after a login. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const minimaxOauth: ProviderProfile = {
  id: 'minimax-oauth',
  name: 'MiniMax (login)',
  aliases: ['minimax-portal', 'minimax-global', 'minimax_oauth', 'minimax-oauth-io'],
  apiMode: 'anthropic_messages',
  baseUrl: 'https://api.minimax.io/anthropic',
  keyVariables: [],
  auth: 'oauth_device_code',
  modelsDev: ['minimax'],
  billing: 'plan',
  defaultModel: 'MiniMax-M2.7',
  auxModel: 'MiniMax-M2.7',
  models: ['MiniMax-M2.7', 'MiniMax-M2.7-highspeed', 'MiniMax-M2.5'],
  modelsUrl: null,
  quirks: { nativeAnthropic: false, dottedModelNames: true, videos: true },
};
