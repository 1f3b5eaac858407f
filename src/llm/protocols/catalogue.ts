/** Every wire format, one line each, loaded when it is first spoken. */
import type { Endpoint } from '../endpoint.ts';
import type { ApiMode, Protocol } from '../protocol.ts';

type Open = (endpoint: Endpoint) => Promise<Protocol>;

const protocols: Readonly<Partial<Record<ApiMode, Open>>> = {
  chat_completions: async (endpoint) => (await import('./chat-completions.ts')).createChatCompletions(endpoint),
  codex_responses: async (endpoint) => new (await import('./responses/responses.ts')).Responses(endpoint),
  anthropic_messages: async (endpoint) => new (await import('./anthropic/messages.ts')).AnthropicMessages(endpoint),
  gemini_generate: async (endpoint) => new (await import('./gemini/generate.ts')).GeminiGenerate(endpoint),
  ollama_chat: async (endpoint) => new (await import('./ollama/chat.ts')).OllamaChat(endpoint),
  bedrock_converse: async (endpoint) => new (await import('./bedrock/converse.ts')).BedrockConverse(endpoint),
};

/** Binds a wire format to an endpoint. Keep the result: it holds the connections. */
export async function openProtocol(apiMode: ApiMode, endpoint: Endpoint): Promise<Protocol> {
  const open = protocols[apiMode];
  if (open === undefined) throw new TypeError(`${apiMode} is not spoken over HTTP`);
  return await open(endpoint);
}
