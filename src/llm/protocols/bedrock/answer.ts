/** Builds one answer from the events of `ConverseStream`, or from the whole answer of `Converse`. */
import type {
  ContentBlock,
  ContentBlockDelta,
  ConverseCommandOutput,
  ConverseStreamOutput,
  TokenUsage,
} from '@aws-sdk/client-bedrock-runtime';
import type { JsonObject } from '../../../lib/json.ts';
import { newCallId } from '../../call-id.ts';
import type { AssistantMessage, ToolCall } from '../../message.ts';
import type { ModelEvent, StopReason, Usage } from '../../protocol.ts';
import { keepThinking } from '../anthropic/signed-thinking.ts';
import { AnswerText } from '../answer-text.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import { toThought } from './reasoning-blocks.ts';

/** More blocks in one answer are a model gone astray, or an attack. */
const maxBlocks = 1024;

interface CallSlot {
  readonly id: string;
  readonly name: string;
  input: string;
}

interface ReasoningSlot {
  text: string;
  signature: string;
  redacted: Buffer | undefined;
}

/** What comes over the wire is typed by the SDK but not checked by it: fields of a wrong type read as absent. */
export class ConverseAnswer {
  readonly #context: RequestContext;
  readonly #text = new AnswerText();
  readonly #calls = new Map<number, CallSlot>();
  readonly #reasoning = new Map<number, ReasoningSlot>();
  /** The text of every block, as its place among the thoughts counts. */
  readonly #texts = new Map<number, string>();
  #usage: Usage | undefined;
  #stopReason = '';

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The model said that the answer is complete; its usage may follow. */
  get finished(): boolean {
    return this.#stopReason !== '';
  }

  /** Adds an event of a stream. */
  add(event: ConverseStreamOutput): void {
    const { contentBlockStart: start, contentBlockDelta: delta } = event;
    const call = start?.start?.toolUse;
    if (call !== undefined) this.#startCall(indexOf(start?.contentBlockIndex), call.toolUseId, call.name);
    if (delta?.delta !== undefined) this.#addDelta(indexOf(delta.contentBlockIndex), delta.delta);
    if (event.messageStop !== undefined) this.#stopReason = stringOf(event.messageStop.stopReason) || 'unknown';
    this.#usage = usageOf(event.metadata?.usage) ?? this.#usage;
  }

  addWhole(output: ConverseCommandOutput): void {
    const content = output.output?.message?.content;
    for (const [index, block] of (Array.isArray(content) ? content : []).entries()) this.#addBlock(index, block);
    this.#usage = usageOf(output.usage);
    this.#stopReason = stringOf(output.stopReason);
  }

  takeEvents(): readonly ModelEvent[] {
    return this.#text.takeEvents();
  }

  /** The last events, `done` among them. Throws `ModelError` when the answer is not complete. */
  finish(): readonly ModelEvent[] {
    if (!this.finished) {
      const begun = !this.#text.isEmpty || this.#calls.size > 0;
      const what = begun ? 'in the middle of the answer' : 'before the answer began';
      throw failure(this.#context, 'network', `the connection was closed ${what}`);
    }
    if (this.#stopReason.startsWith('malformed_')) {
      throw failure(this.#context, 'malformed', `the model wrote a broken answer (${this.#stopReason})`);
    }
    const known = stopReasons.get(this.#stopReason) ?? 'other';
    const stopReason = known === 'stop' && this.#calls.size > 0 ? 'tool_calls' : known;
    const rest = this.#text.end();
    const done: ModelEvent = {
      type: 'done',
      message: this.#message(stopReason),
      stopReason,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
    return [...rest, done];
  }

  #addDelta(index: number, delta: ContentBlockDelta): void {
    this.#addText(index, stringOf(delta.text));
    const call = this.#calls.get(index);
    if (call !== undefined) call.input += stringOf(delta.toolUse?.input);
    const reasoning = delta.reasoningContent;
    if (reasoning === undefined || reasoning === null) return;
    this.#addReasoning(index, reasoning.text, reasoning.signature, reasoning.redactedContent);
  }

  #addBlock(index: number, block: ContentBlock): void {
    this.#addText(index, stringOf(block.text));
    const { toolUse, reasoningContent: reasoning } = block;
    if (toolUse !== undefined && toolUse !== null) {
      this.#startCall(index, toolUse.toolUseId, toolUse.name);
      const call = this.#calls.get(index);
      if (call !== undefined) call.input = JSON.stringify(toolUse.input ?? {});
    }
    if (reasoning === undefined || reasoning === null) return;
    const { text, signature } = reasoning.reasoningText ?? {};
    this.#addReasoning(index, text, signature, reasoning.redactedContent);
  }

  #addText(index: number, text: string): void {
    if (text === '') return;
    const before = this.#texts.get(index);
    this.#text.addText(before === undefined && this.#texts.size > 0 ? `\n${text}` : text);
    this.#texts.set(index, (before ?? '') + text);
    this.#checkCount();
  }

  #addReasoning(index: number, text: unknown, signature: unknown, redacted: unknown): void {
    const slot = this.#reasoning.get(index) ?? { text: '', signature: '', redacted: undefined };
    this.#reasoning.set(index, slot);
    this.#checkCount();
    slot.text += stringOf(text);
    slot.signature += stringOf(signature);
    if (redacted instanceof Uint8Array) slot.redacted = Buffer.concat([slot.redacted ?? Buffer.alloc(0), redacted]);
    this.#text.addReasoning(stringOf(text));
  }

  #startCall(index: number, givenId: unknown, givenName: unknown): void {
    const ids = new Set([...this.#calls.values()].map((call) => call.id));
    const id = stringOf(givenId);
    const slot = { id: id === '' || ids.has(id) ? newCallId() : id, name: stringOf(givenName), input: '' };
    this.#text.startCall(this.#calls.size, slot.name);
    this.#calls.set(index, slot);
    this.#checkCount();
  }

  #checkCount(): void {
    if (this.#calls.size + this.#reasoning.size + this.#texts.size <= maxBlocks) return;
    throw failure(this.#context, 'malformed', `the answer holds more than ${maxBlocks} blocks`);
  }

  #message(stopReason: StopReason): AssistantMessage {
    const calls = [...this.#calls.values()].map(
      ({ id, name, input }): ToolCall => ({ id, type: 'function', function: { name, arguments: input || '{}' } }),
    );
    const details = keepThinking(this.#blocks());
    return {
      role: 'assistant',
      ...this.#text.message(),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(details === undefined ? {} : { reasoning_details: details }),
      finish_reason: stopReason === 'other' ? this.#stopReason.slice(0, 100) : stopReason,
    };
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
