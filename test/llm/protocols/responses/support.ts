/** Short forms for tests of the Responses protocol. */
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { HistoryMessage, ToolCall } from '../../../../src/llm/message.ts';
import type { Protocol } from '../../../../src/llm/protocol.ts';
import { Responses } from '../../../../src/llm/protocols/responses/responses.ts';
import { keyOf } from '../ask.ts';

export function responsesAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf('sk-test-0123456789abcdef', 'codex_responses');
  return new Responses({ provider: 'openai-api', baseUrl: url, authorizer, ...endpoint });
}

export const user = (content: string): HistoryMessage => ({ role: 'user', content });

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
