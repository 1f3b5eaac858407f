/**
 * Builds one answer from the events of `ConverseStream`, or from the whole answer of `Converse`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type {
  ContentBlock,
  ContentBlockDelta,
  ConverseCommandOutput,
  ConverseStreamOutput,
  TokenUsage,
} from '@aws-sdk/client-bedrock-runtime';
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelEvent, StopReason, Usage } from '../../protocol.ts';
import { keepThinking } from '../anthropic/signed-thinking.ts';
import { Answer, type OpenCall } from '../answer.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import type { WireAnswer } from '../stream-answer.ts';
import { toThought } from './reasoning-blocks.ts';

interface ReasoningSlot {
  text: string;
  signature: string;
  redacted: Buffer | undefined;
}

/** An event of a stream, or the whole answer. */
export type ConverseEvent = { readonly event: ConverseStreamOutput } | { readonly whole: ConverseCommandOutput };

/** What comes over the wire is typed by the SDK but not checked by it: fields of a wrong type read as absent. */
export class ConverseAnswer implements WireAnswer<ConverseEvent> {
  readonly answer: Answer;
  /** Usage may follow the stop reason, and then the stream ends by itself. */
  readonly ended = false;
  readonly #context: RequestContext;
  readonly #calls = new Map<number, OpenCall>();
  readonly #reasoning = new Map<number, ReasoningSlot>();
  /** The text of every block, as its place among the thoughts counts. */
  readonly #texts = new Map<number, string>();
  #stopReason = '';

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
  }

  get finished(): boolean {
    return this.#stopReason !== '';
  }

  add(next: ConverseEvent): void {
    if ('whole' in next) return this.#addWhole(next.whole);
    const { contentBlockStart: start, contentBlockDelta: delta, messageStop, metadata } = next.event;
    const call = start?.start?.toolUse;
    if (call !== undefined) this.#startCall(indexOf(start?.contentBlockIndex), call.toolUseId, call.name);
    if (delta?.delta !== undefined) this.#addDelta(indexOf(delta.contentBlockIndex), delta.delta);
    if (messageStop !== undefined) this.#stopReason = stringOf(messageStop.stopReason) || 'unknown';
    this.answer.usage = usageOf(metadata?.usage) ?? this.answer.usage;
  }

  finish(): readonly ModelEvent[] {
    const word = this.#stopReason;
    if (word.startsWith('malformed_')) {
      throw failure(this.#context, 'malformed', `the model wrote a broken answer (${word})`);
    }
    for (const call of this.#calls.values()) call.arguments ||= '{}';
    const known = stopReasons.get(word) ?? 'other';
    const reason = known === 'stop' && this.answer.calls.length > 0 ? 'tool_calls' : known;
    const details = keepThinking(this.#blocks());
    return this.answer.done(
      { reason, word, detail: word },
      details === undefined ? {} : { reasoning_details: details },
    );
  }

  #addWhole(output: ConverseCommandOutput): void {
    const content = output.output?.message?.content;
    for (const [index, block] of (Array.isArray(content) ? content : []).entries()) this.#addBlock(index, block);
    this.answer.usage = usageOf(output.usage);
    this.#stopReason = stringOf(output.stopReason);
  }

  #addDelta(index: number, delta: ContentBlockDelta): void {
    this.#addText(index, stringOf(delta.text));
    const call = this.#calls.get(index);
    if (call !== undefined) call.arguments += stringOf(delta.toolUse?.input);
    const reasoning = delta.reasoningContent;
    if (reasoning === undefined || reasoning === null) return;
    this.#addReasoning(index, reasoning.text, reasoning.signature, reasoning.redactedContent);
  }

  #addBlock(index: number, block: ContentBlock): void {
    this.#addText(index, stringOf(block.text));
    const { toolUse, reasoningContent: reasoning } = block;
    if (toolUse !== undefined && toolUse !== null) {
      const call = this.#startCall(index, toolUse.toolUseId, toolUse.name);
      call.arguments = JSON.stringify(toolUse.input ?? {});
    }
    if (reasoning === undefined || reasoning === null) return;
    const { text, signature } = reasoning.reasoningText ?? {};
    this.#addReasoning(index, text, signature, reasoning.redactedContent);
  }

  #addText(index: number, text: string): void {
    if (text === '') return;
    const before = this.#texts.get(index);
    if (before === undefined) this.answer.countPart();
    this.answer.addText(text, before === undefined);
    this.#texts.set(index, (before ?? '') + text);
  }

  #addReasoning(index: number, text: unknown, signature: unknown, redacted: unknown): void {
    const known = this.#reasoning.get(index);
    if (known === undefined) this.answer.countPart();
    const slot = known ?? { text: '', signature: '', redacted: undefined };
    this.#reasoning.set(index, slot);
    this.answer.addReasoning(stringOf(text), slot.text === '');
    slot.text += stringOf(text);
    slot.signature += stringOf(signature);
    if (redacted instanceof Uint8Array) slot.redacted = Buffer.concat([slot.redacted ?? Buffer.alloc(0), redacted]);
  }

  #startCall(index: number, id: unknown, name: unknown): OpenCall {
    this.answer.countPart();
    const call = this.answer.startCall(stringOf(id), stringOf(name));
    this.#calls.set(index, call);
    return call;
  }

  /** Everything in its order, in Anthropic's form. */
  #blocks(): JsonObject[] {
    const thoughts = [...this.#reasoning].map(([index, slot]) => ({ index, block: toThought(slot) }));
    const texts = [...this.#texts].map(([index, text]) => ({ index, block: { type: 'text', text } }));
    const calls = [...this.#calls.keys()].map((index) => ({ index, block: { type: 'tool_use' } }));
    return [...thoughts, ...texts, ...calls].sort((a, b) => a.index - b.index).map(({ block }) => block);
  }
}

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
]);

/** Bedrock's `inputTokens` are those that the cache had nothing to do with. */
function usageOf(usage: TokenUsage | undefined): Usage | undefined {
  const input = countOf(usage?.inputTokens);
  const output = countOf(usage?.outputTokens);
  const cacheRead = countOf(usage?.cacheReadInputTokens);
  const cacheWrite = countOf(usage?.cacheWriteInputTokens);
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  return { input, output, cacheRead, cacheWrite, reasoning: 0 };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function indexOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
