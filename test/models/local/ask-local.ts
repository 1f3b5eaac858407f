/** Asks a local model in tests. */
import type { ModelEvent, ModelRequest, Protocol, ToolSchema } from '../../../src/llm/protocol.ts';

export const clock: ToolSchema = {
  name: 'clock',
  description: 'Tells the time.',
  parameters: {
    type: 'object',
    properties: { zone: { type: 'string' }, exact: { type: 'boolean' } },
    required: ['zone'],
  },
};

function question(over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'tiny',
    stream: true,
    tools: [],
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Hi' },
    ],
    ...over,
  };
}

export async function ask(
  model: Protocol,
  over: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(question(over), signal)) events.push(event);
  return events;
}

/** The event that ends an answer. Throws when there is none. */
export function doneIn(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'done' }> {
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error('The answer has no end.');
  return last;
}
