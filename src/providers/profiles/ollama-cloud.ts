/** Ollama in the cloud. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const ollamaCloud: ProviderProfile = {
  id: 'ollama-cloud',
  name: 'Ollama Cloud',
  aliases: ['ollama_cloud'],
  apiMode: 'chat_completions',
  baseUrl: 'https://ollama.com/v1',
  baseUrlVariable: 'OLLAMA_BASE_URL',
  keyVariables: ['OLLAMA_API_KEY'],
  keyDomains: ['ollama.com'],
  boundKeys: true,
  auth: 'api_key',
  signupUrl: 'https://ollama.com/settings/keys',
  defaultModel: 'gpt-oss:120b',
  auxModel: 'nemotron-3-nano:30b',
  models: ['gpt-oss:120b', 'qwen3-coder:480b', 'deepseek-v3.2', 'kimi-k2-thinking'],
  quirks: { reasoning: 'ollama' },
};
