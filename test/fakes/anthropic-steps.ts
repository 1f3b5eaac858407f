/** Scripted answers of `model-steps.ts` in Anthropic's wire format, streamed and whole. */
import { signatureFor } from './anthropic-rules.ts';
import type { Answer } from './model-steps.ts';

/** Content blocks as they are on the wire, for answers that an `Answer` cannot say; a thought gets its signature. */
export interface BlockAnswer extends Omit<Answer, 'text' | 'reasoning' | 'reasoningField' | 'toolCalls'> {
  readonly blocks: readonly { readonly type: string; readonly [key: string]: unknown }[];
}

export type AnthropicAnswer = Answer | BlockAnswer;

/** One named event. */
export function namedEvent(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** The events of an answer; `message_start`, a ping, the blocks, `message_delta`, `message_stop`. */
export function anthropicEvents(
  model: string,
  answer: AnthropicAnswer,
  nextCallId: () => string,
  usage: object,
): string[] {
  const blocks = answerBlocks(answer, nextCallId);
  const message = { ...envelope(model), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [namedEvent({ type: 'message_start', message }), namedEvent({ type: 'ping' })];
  for (const [index, block] of blocks.entries()) events.push(...blockEvents(index, block, answer.pieceChars ?? 12));
  if (answer.finishReason !== null) {
    const delta = { stop_reason: stopReasonOf(answer, blocks), stop_sequence: null };
    const counts = answer.usage === false ? {} : { usage: { output_tokens: 5, ...answer.usage } };
    events.push(namedEvent({ type: 'message_delta', delta, ...counts }));
  }
  if (answer.done !== false) events.push(namedEvent({ type: 'message_stop' }));
  return events;
}

/** The answer as one message. */
export function anthropicMessage(
  model: string,
  answer: AnthropicAnswer,
  nextCallId: () => string,
  usage: object,
): object {
  const blocks = answerBlocks(answer, nextCallId);
  return {
    ...envelope(model),
    content: blocks.map((block) => ('input' in block ? { ...block, input: parseOr(block['input']) } : block)),
    stop_reason: stopReasonOf(answer, blocks),
    stop_sequence: null,
    ...(answer.usage === false ? {} : { usage: { ...usage, output_tokens: 5, ...answer.usage } }),
  };
}

type WireBlock = { readonly type: string; readonly [key: string]: unknown };

function envelope(model: string) {
  return { id: 'msg_fake', type: 'message', role: 'assistant', model };
}

/** A call keeps its input as text until it is sent. */
function answerBlocks(answer: AnthropicAnswer, nextCallId: () => string): WireBlock[] {
  if ('blocks' in answer) {
    return answer.blocks.map((block) => {
      if (block.type === 'thinking') return { signature: signatureFor(String(block['thinking'])), ...block };
      return block.type === 'tool_use' ? { id: nextCallId(), ...block, input: inputText(block['input']) } : block;
    });
  }
  const { text = '', reasoning = '', toolCalls = [] } = answer;
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: signatureFor(reasoning) }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...toolCalls.map((call) => ({
      type: 'tool_use',
      id: call.id ?? nextCallId(),
      name: call.name,
      input: inputText(call.arguments),
    })),
  ];
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}

function parseOr(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return {};
  }
}

function blockEvents(index: number, block: WireBlock, size: number): string[] {
  const { start, deltas } = streamed(block, size);
  return [
    namedEvent({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => namedEvent({ type: 'content_block_delta', index, delta })),
    namedEvent({ type: 'content_block_stop', index }),
  ];
}

function streamed(block: WireBlock, size: number): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(String(block['text']), size).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(String(block['thinking']), size).map((thinking) => ({ type: 'thinking_delta', thinking })),
          ...(block['signature'] === '' ? [] : [{ type: 'signature_delta', signature: block['signature'] }]),
        ],
      };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: pieces(String(block['input']), size).map((json) => ({ type: 'input_json_delta', partial_json: json })),
      };
    default:
      return { start: block, deltas: [] };
  }
}

/** A scripted conversation for chat completions says its finish reasons in that format's words. */
const words: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

function stopReasonOf(answer: AnthropicAnswer, blocks: readonly WireBlock[]): string | null {
  const given = answer.finishReason;
  if (given === null) return null;
  if (given !== undefined) return words[given] ?? given;
  return blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
}

/** Cuts between characters, so that every piece is valid text. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const cut: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    cut.push(characters.slice(start, start + size).join(''));
  return cut;
}
