/** A server of one's own, or any other that speaks the chat-completions format. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const custom: ProviderProfile = {
  id: 'custom',
  name: 'Custom endpoint',
  description: 'LM Studio, Ollama, llama.cpp, vLLM, or any OpenAI-compatible server',
  aliases: [],
  apiMode: 'chat_completions',
  baseUrl: '',
  baseUrlVariable: 'CUSTOM_BASE_URL',
  keyVariables: ['OPENAI_API_KEY'],
  auth: 'optional_api_key',
};
