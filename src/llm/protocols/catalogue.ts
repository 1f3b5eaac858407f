/** Every wire format, one line each, loaded when it is first spoken. */
import type { Endpoint } from '../endpoint.ts';
import type { ApiMode, Protocol } from '../protocol.ts';

type Open = (endpoint: Endpoint) => Promise<Protocol>;

const protocols: Readonly<Partial<Record<ApiMode, Open>>> = {
  chat_completions: async (endpoint) => (await import('./chat-completions.ts')).createChatCompletions(endpoint),
  codex_responses: async (endpoint) => (await import('./responses/responses.ts')).createResponses(endpoint),
  anthropic_messages: async (endpoint) => (await import('./anthropic/messages.ts')).createAnthropicMessages(endpoint),
  gemini_generate: async (endpoint) => (await import('./gemini/generate.ts')).createGeminiGenerate(endpoint),
  bedrock_converse: async (endpoint) => (await import('./bedrock/converse.ts')).createBedrockConverse(endpoint),
};

/** Binds a wire format to an endpoint. Keep the result: it holds the connections. */
export async function openProtocol(apiMode: ApiMode, endpoint: Endpoint): Promise<Protocol> {
  const open = protocols[apiMode];
  if (open === undefined) throw new TypeError(`${apiMode} is not spoken over HTTP`);
  return await open(endpoint);
}
