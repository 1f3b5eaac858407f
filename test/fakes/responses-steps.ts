/** Scripted answers of `model-steps.ts` in the Responses wire format, streamed and whole. */
import { createHash } from 'node:crypto';
import type { Answer } from './model-steps.ts';

/** An output item as it is on the wire. */
export interface ResponsesItem {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Output items as they are on the wire, for answers that an `Answer` cannot say. */
export interface ItemAnswer extends Omit<Answer, 'text' | 'reasoning' | 'reasoningField' | 'toolCalls'> {
  readonly items: readonly ResponsesItem[];
  /** Over the fields of the response: `status`, `incomplete_details`, `error`. */
  readonly response?: object;
}

export type ResponsesAnswer = Answer | ItemAnswer;

/** What the service knows when it answers. */
export interface AnswerContext {
  readonly model: string;
  /** The request asked for reasoning in its encrypted form. */
  readonly encrypted: boolean;
  /** A number that no other item has. */
  readonly nextId: () => number;
}

/** The encrypted form that the fake gives to a thought. */
export function encryptedFor(thought: string): string {
  return `gAAAAA${createHash('sha256').update(thought).digest('base64')}`;
}

/** One named event. */
export function responsesEvent(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** The events of an answer, from `response.created` to the one that tells how it ended. */
export function responsesEvents(answer: ResponsesAnswer, context: AnswerContext): string[] {
  const items = answerItems(answer, context);
  const response = responseOf(answer, context, items);
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index, answer.pieceChars ?? 12)),
    ...(answer.done === false || answer.finishReason === null
      ? []
      : [{ type: `response.${response.status}`, response }]),
  ];
  return events.map((event, index) => responsesEvent({ ...event, sequence_number: index }));
}

/** The answer as one response. */
export function wholeResponse(answer: ResponsesAnswer, context: AnswerContext): object {
  return responseOf(answer, context, answerItems(answer, context));
}

function responseOf(answer: ResponsesAnswer, context: AnswerContext, items: readonly ResponsesItem[]) {
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[answer.finishReason ?? ''];
  return {
    id: 'resp_fake',
    object: 'response',
    created_at: 1_700_000_000,
    model: context.model,
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output: items,
    ...(answer.usage === false ? {} : { usage: usageOf(answer.usage) }),
    ...('items' in answer ? answer.response : {}),
  };
}

/** A scripted conversation may count in the words of chat completions. */
function usageOf(given: object = {}): object {
  const counts = given as { readonly [key: string]: unknown };
  const input = counts['input_tokens'] ?? counts['prompt_tokens'] ?? 10;
  const output = counts['output_tokens'] ?? counts['completion_tokens'] ?? 5;
  return {
    input_tokens: input,
    input_tokens_details: counts['input_tokens_details'] ?? counts['prompt_tokens_details'] ?? { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: counts['output_tokens_details'] ??
      counts['completion_tokens_details'] ?? { reasoning_tokens: 0 },
    total_tokens: Number(input) + Number(output),
  };
}

function answerItems(answer: ResponsesAnswer, { encrypted, nextId }: AnswerContext): readonly ResponsesItem[] {
  if ('items' in answer) return answer.items;
  const { text = '', reasoning = '', toolCalls = [] } = answer;
  const status = answer.finishReason === 'length' ? 'incomplete' : 'completed';
  return [
    ...(reasoning === ''
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${nextId()}`,
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: encrypted ? encryptedFor(reasoning) : null,
          },
        ]),
    ...(text === '' ? [] : [messageItem(`msg_${nextId()}`, text, status)]),
    ...toolCalls.map((call) => {
      const number = nextId();
      const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
      const ids = { id: `fc_${number}`, call_id: call.id ?? `call_${number}` };
      return { type: 'function_call', ...ids, name: call.name, arguments: written, status };
    }),
  ];
}

/** A message that says `text`. */
export function messageItem(id: string, text: string, status = 'completed', phase?: string): ResponsesItem {
  return {
    type: 'message',
    id,
    role: 'assistant',
    status,
    content: [{ type: 'output_text', text, annotations: [] }],
    ...(phase === undefined ? {} : { phase }),
  };
}

type WireEvent = { readonly type: string; readonly [key: string]: unknown };

function itemEvents(item: ResponsesItem, index: number, size: number): WireEvent[] {
  const at = { output_index: index };
  const within = { ...at, item_id: item['id'] };
  return [
    { type: 'response.output_item.added', ...at, item: emptied(item) },
    ...innerEvents(item, size).map((event) => ({ ...within, ...event })),
    { type: 'response.output_item.done', ...at, item },
  ];
}

function emptied(item: ResponsesItem): ResponsesItem {
  const status = { status: 'in_progress' };
  switch (item.type) {
    case 'message':
      return { ...item, ...status, content: [] };
    case 'reasoning':
      return { ...item, summary: [], content: [], encrypted_content: null };
    case 'function_call':
      return { ...item, ...status, arguments: '' };
    case 'custom_tool_call':
      return { ...item, input: '' };
    default:
      return item;
  }
}

function innerEvents(item: ResponsesItem, size: number): WireEvent[] {
  switch (item.type) {
    case 'message':
      return partsOf(item['content']).flatMap((part, content_index) => messagePartEvents(part, content_index, size));
    case 'reasoning':
      return [
        ...partsOf(item['summary']).flatMap((part, summary_index) => summaryEvents(part, summary_index, size)),
        ...partsOf(item['content']).flatMap((part, content_index) =>
          deltas('response.reasoning_text', { content_index }, 'text', String(part['text']), size),
        ),
      ];
    case 'function_call':
      return deltas('response.function_call_arguments', {}, 'arguments', String(item['arguments']), size);
    case 'custom_tool_call':
      return deltas('response.custom_tool_call_input', {}, 'input', String(item['input']), size);
    default:
      return [];
  }
}

type Part = { readonly [key: string]: unknown };

function partsOf(parts: unknown): readonly Part[] {
  return Array.isArray(parts) ? (parts as Part[]) : [];
}

function messagePartEvents(part: Part, content_index: number, size: number): WireEvent[] {
  const refusal = part['type'] === 'refusal';
  const field = refusal ? 'refusal' : 'text';
  return [
    { type: 'response.content_part.added', content_index, part: { ...part, [field]: '' } },
    ...deltas(
      refusal ? 'response.refusal' : 'response.output_text',
      { content_index },
      field,
      String(part[field]),
      size,
    ),
    { type: 'response.content_part.done', content_index, part },
  ];
}

function summaryEvents(part: Part, summary_index: number, size: number): WireEvent[] {
  return [
    { type: 'response.reasoning_summary_part.added', summary_index, part: { ...part, text: '' } },
    ...deltas('response.reasoning_summary_text', { summary_index }, 'text', String(part['text']), size),
    { type: 'response.reasoning_summary_part.done', summary_index, part },
  ];
}

function deltas(type: string, at: object, field: string, text: string, size: number): WireEvent[] {
  return [
    ...pieces(text, size).map((delta) => ({ ...at, type: `${type}.delta`, delta })),
    { ...at, type: `${type}.done`, [field]: text },
  ];
}

/** Cuts between characters, so that every piece is valid text. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const cut: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    cut.push(characters.slice(start, start + size).join(''));
  return cut;
}
