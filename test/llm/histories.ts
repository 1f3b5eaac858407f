/** Histories as the agent sends them: repaired, so every call has its result and the roles take turns. */
import * as fc from 'fast-check';
import type { AssistantMessage, Content, HistoryMessage, ToolCall, ToolMessage } from '../../src/llm/message.ts';

export const onePixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', ' ', '\n', 'hello', '<think>hm</think>yes'),
);
const urls = fc.constantFrom(
  onePixel,
  'data:image/bmp;base64,AAAA',
  'data:broken',
  'https://host.test/a.png',
  'file:///x',
);
const contents: fc.Arbitrary<Content> = fc.oneof(
  words,
  fc.array(
    fc.oneof(
      words.map((text) => ({ type: 'text' as const, text })),
      urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
    ),
    { maxLength: 3 },
  ),
);
const names = fc.constantFrom('read_file', 'terminal', 'a name, with spaces', '9lives', '', 'x'.repeat(90));
const argumentTexts = fc.oneof(
  fc
    .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((v) => JSON.stringify(v)),
  fc.constantFrom('{}', '', '{"a":', '[1]', 'null'),
);
const idEnds = fc.constantFrom('', '|fc_123', '.with:odd/characters', 'y'.repeat(100), 'é');
const extras = fc.constantFrom(
  undefined,
  { google: { thought_signature: 'c2lnbmF0dXJl' } },
  { google: { thought_signature: 'not base64!' } },
  'odd',
);
const details = fc.constantFrom<AssistantMessage['reasoning_details'][]>(
  undefined,
  [{ type: 'reasoning.encrypted', format: 'google-gemini-v1', data: 'dGV4dA==', index: 0 }],
  [{ type: 'thinking', thinking: 'I think.', signature: 'c2ln' }],
  [
    { type: 'thinking', thinking: '', signature: 'c2ln' },
    { type: 'text', length: 5 },
    { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    { type: 'tool_use' },
  ],
  [{ type: 'redacted_thinking', data: 'not base64!' }, 7, null],
);

const calls = fc.array(
  fc.record({ name: names, arguments: argumentTexts, idEnd: idEnds, extra: extras, result: contents }),
  {
    maxLength: 3,
  },
);
const steps = fc.record({ said: fc.option(words), calls, details, user: contents });

/** Call ids are unique within a history, as long and odd as other providers make them. */
export const histories: fc.Arbitrary<readonly HistoryMessage[]> = fc
  .tuple(contents, fc.array(steps, { maxLength: 4 }))
  .map(([first, rest]) => {
    let count = 0;
    return [
      { role: 'user' as const, content: first },
      ...rest.flatMap((step) => {
        const toolCalls = step.calls.map((call) => {
          count += 1;
          return { ...call, id: `call_${'z'.repeat(60)}${count}${call.idEnd}` };
        });
        return [
          assistant(step, toolCalls),
          ...toolCalls.map(resultOf),
          ...(toolCalls.length === 0 ? [user(step.user)] : []),
        ];
      }),
    ];
  });

interface Called {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly extra: ToolCall['extra_content'] | undefined;
  readonly result: Content;
}

function assistant(
  step: { readonly said: string | null; readonly details: AssistantMessage['reasoning_details'] | undefined },
  made: readonly Called[],
): AssistantMessage {
  const toolCalls: ToolCall[] = made.map(({ id, name, arguments: text, extra }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
    ...(extra === undefined ? {} : { extra_content: extra }),
  }));
  return {
    role: 'assistant',
    content: step.said,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(step.details === undefined ? {} : { reasoning_details: step.details }),
  };
}

function resultOf(call: Called): ToolMessage {
  return { role: 'tool', tool_call_id: call.id, tool_name: call.name, content: call.result };
}

function user(content: Content): HistoryMessage {
  return { role: 'user', content };
}
