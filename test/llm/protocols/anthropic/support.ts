/** Short forms for tests of the Anthropic protocol. */
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { HistoryMessage, ToolCall } from '../../../../src/llm/message.ts';
import type { ModelRequest, Protocol } from '../../../../src/llm/protocol.ts';
import { AnthropicMessages } from '../../../../src/llm/protocols/anthropic/messages.ts';
import { keyOf } from '../ask.ts';

export const claudeKey = 'sk-ant-api03-0123456789abcdef';

export function claudeAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf(claudeKey, 'anthropic_messages');
  return new AnthropicMessages({ provider: 'anthropic', baseUrl: url, authorizer, ...endpoint });
}

/** A request to an older Claude, without thinking. */
export function claudeRequest(overrides: Partial<ModelRequest> = {}): Partial<ModelRequest> {
  return { model: 'claude-sonnet-4-5', ...overrides };
}

export const user = (content: string): HistoryMessage => ({ role: 'user', content });

export const says = (content: string): HistoryMessage => ({ role: 'assistant', content });

export const call = (id: string, name = 'terminal', args = '{"command":"ls"}'): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

export const calls = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});

export const result = (id: string, content = 'ok'): HistoryMessage => ({ role: 'tool', tool_call_id: id, content });

export const readFile = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};
