/** A server of one's own, or any other that speaks the chat-completions format. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const custom: ProviderProfile = {
  id: 'custom',
  name: 'Custom endpoint',
  description: 'LM Studio, Ollama, llama.cpp, vLLM, or any OpenAI-compatible server',
  aliases: ['llama-cpp', 'llama.cpp', 'llamacpp', 'ollama', 'vllm'],
  apiMode: 'chat_completions',
  baseUrl: '',
  baseUrlVariable: 'CUSTOM_BASE_URL',
  addressHint:
    'Set it with `hermes config set model.base_url http://localhost:11434/v1`, or CUSTOM_BASE_URL in the environment.',
  keyVariables: ['CUSTOM_API_KEY', 'OPENAI_API_KEY'],
  auth: 'optional_api_key',
  sideRank: { text: 3, vision: 5 },
  modelsDev: [],
  maxTokens: 65_536,
  quirks: { reasoning: 'own_server' },
};
