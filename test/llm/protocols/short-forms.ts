/** Messages and a tool, in as few words as a test of a wire format needs. */
import type { HistoryMessage, ToolCall } from '../../../src/llm/message.ts';

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
