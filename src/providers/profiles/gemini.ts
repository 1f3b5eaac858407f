/** Google's Gemini, over its own protocol. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const gemini: ProviderProfile = {
  id: 'gemini',
  name: 'Google Gemini',
  aliases: ['google', 'google-gemini', 'google-ai-studio'],
  apiMode: 'gemini_generate',
  // Its imitation of OpenAI's format, also behind a proxy.
  apiModesByPath: [{ path: '/openai', apiMode: 'chat_completions' }],
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  baseUrlVariable: 'GEMINI_BASE_URL',
  keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  auth: 'api_key',
  modelsDev: ['google'],
  signupUrl: 'https://aistudio.google.com/apikey',
  defaultModel: 'gemini-3-flash-preview',
  auxModel: 'gemini-3.5-flash',
  models: ['gemini-3-flash-preview', 'gemini-3-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
};
