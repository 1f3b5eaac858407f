/** A conversation of an agent at work: questions, thoughts, calls of tools and their results. */
import type { HistoryMessage } from '../../src/llm/message.ts';
import type { ToolSchema } from '../../src/llm/protocol.ts';
import { conversation } from './prose.ts';

const tools = ['read_file', 'terminal', 'search_files', 'write_file', 'patch'] as const;

/** `count` messages in turns of five: a question, a call of two tools, their results, an answer. */
export function workHistory(count: number): HistoryMessage[] {
  const texts = conversation(1, count * 4).map(({ content }) => (typeof content === 'string' ? content : ''));
  return Array.from({ length: count }, (_, index): HistoryMessage => {
    const text = texts[index * 4] ?? '';
    const turn = Math.floor(index / 5);
    switch (index % 5) {
      case 0:
        return { role: 'user', content: text };
      case 1:
        return {
          role: 'assistant',
          content: text.slice(0, 80),
          reasoning: text,
          tool_calls: [0, 1].map((call) => ({
            id: `call_${turn}_${call}`,
            type: 'function',
            function: {
              name: tools[(turn + call) % tools.length] ?? 'terminal',
              arguments: JSON.stringify({ path: `src/part${turn}.ts`, pattern: text.slice(0, 60) }),
            },
          })),
        };
      case 2:
      case 3:
        return {
          role: 'tool',
          tool_call_id: `call_${turn}_${(index % 5) - 2}`,
          content: JSON.stringify({ output: texts.slice(index * 4, index * 4 + 4).join('\n'), exit_code: 0 }),
        };
      default:
        return { role: 'assistant', content: text };
    }
  });
}

/** As many tools as an agent usually has, with a few parameters each. */
export function workTools(): ToolSchema[] {
  return Array.from({ length: 24 }, (_, index) => ({
    name: tools[index] ?? `tool_${String(index).padStart(2, '0')}`,
    description: `Does thing ${index}. `.repeat(20),
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where' },
        pattern: { type: 'string', description: 'What' },
        limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
        options: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
      required: ['path'],
    },
  }));
}
