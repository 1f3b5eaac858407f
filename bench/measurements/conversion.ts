/** What it costs to put a history of 500 messages into each wire format. */
import type { Endpoint } from '../../src/llm/endpoint.ts';
import type { ModelRequest } from '../../src/llm/protocol.ts';
import { messagesBody } from '../../src/llm/protocols/anthropic/request-body.ts';
import { converseInput } from '../../src/llm/protocols/bedrock/converse-input.ts';
import { chatRequestBody } from '../../src/llm/protocols/chat-request.ts';
import { geminiRequestBody } from '../../src/llm/protocols/gemini/request-body.ts';
import { responsesBody } from '../../src/llm/protocols/responses/request.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';
import { workHistory, workTools } from '../parts/work.ts';

const messages = 500;
const warmUps = 20;
const rounds = 31;

interface Format {
  readonly name: string;
  readonly model: string;
  readonly convert: (request: ModelRequest, endpoint: Endpoint) => object;
}

const without: ReadonlySet<never> = new Set();
const formats: readonly Format[] = [
  {
    name: 'chat completions',
    model: 'some-model',
    convert: (request, endpoint) =>
      chatRequestBody(request, endpoint, {
        maxTokensField: 'max_tokens',
        maxTokensSettled: false,
        without: new Set<string>(),
      }),
  },
  {
    name: 'Responses',
    model: 'gpt-5',
    convert: (request, endpoint) =>
      responsesBody(request, endpoint, { without, streamOnly: false, replays: () => true }),
  },
  {
    name: 'Anthropic',
    model: 'claude-sonnet-4-5',
    convert: (request, endpoint) => messagesBody(request, endpoint, { without, replays: () => true }),
  },
  { name: 'Gemini', model: 'gemini-2.5-pro', convert: geminiRequestBody },
  {
    name: 'Bedrock',
    model: 'anthropic.claude-sonnet-4-5-v1:0',
    convert: (request, endpoint) => converseInput(request, endpoint),
  },
];

export const conversion: Measurement = {
  name: 'conversion',
  async measure() {
    return formats.map(measureFormat);
  },
};

/** Every call gets messages that no call has seen before, so that nothing can be remembered of them. */
function measureFormat({ name, model, convert }: Format): Figure {
  const endpoint: Endpoint = { provider: 'bench', baseUrl: 'https://models.test/v1' };
  const history = workHistory(messages);
  const once = (): number => {
    const request: ModelRequest = {
      model,
      messages: [{ role: 'system', content: 'You help.' }, ...structuredClone(history)],
      tools: workTools(),
      stream: true,
      cacheTtl: '5m',
      reasoningEffort: 'medium',
      sessionId: 'bench',
    };
    const startedAt = performance.now();
    convert(request, endpoint);
    return performance.now() - startedAt;
  };
  const cold = once();
  for (let round = 0; round < warmUps; round += 1) once();
  const times = Array.from({ length: rounds }, once);
  return {
    what: `${messages} messages to ${name}`,
    value: median(times),
    unit: 'ms',
    mark: 5,
    detail: `median of ${rounds}; first call ${inMs(cold)}`,
  };
}
