/** Builds one answer from the chunks of the chat-completions format, and the events of it as they come. */
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import type { AssistantMessage } from '../message.ts';
import type { ModelEvent, StopReason, Usage } from '../protocol.ts';
import { hasThinking, splitThinking, ThinkingSplitter } from '../thinking.ts';
import { failure, type RequestContext, reportedFailure } from './model-failure.ts';
import { listOf, objectOf, stringOf } from './read-json.ts';
import { detailsText, ReasoningDetails } from './reasoning-details.ts';
import { ToolCallSlots } from './tool-call-slots.ts';
import { chatUsage } from './usage.ts';

/** More calls in one answer are a model gone astray, or an attack. */
const maxToolCalls = 256;

/**
 * Text events stop when a tool call begins: what a model writes behind it is kept in the message, but it is no part of
 * what the surfaces show as the answer. Inline thinking becomes reasoning events; `message.content` keeps its tags.
 */
export class ChatAnswer {
  readonly #context: RequestContext;
  readonly #splitter = new ThinkingSplitter();
  readonly #calls = new ToolCallSlots();
  readonly #details = new ReasoningDetails();
  #events: ModelEvent[] = [];
  #content = '';
  #reasoning = '';
  #reasoningContent = '';
  #usage: Usage | undefined;
  #finishReason = '';
  #sawChoice = false;
  /** First half of a character that was cut between two chunks. */
  #halfCharacter = '';

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The provider said that the answer is complete. */
  get finished(): boolean {
    return this.#finishReason !== '';
  }

  /** Adds a chunk of a stream, or a whole answer. Throws the `ModelError` that it reports. */
  add(chunk: JsonObject): void {
    if (isError(chunk['error'])) throw reportedFailure(this.#context, chunk['error']);
    // vLLM.
    if (chunk['object'] === 'error') throw reportedFailure(this.#context, chunk);
    this.#usage = chatUsage(chunk['usage']) ?? this.#usage;
    const choice = objectOf(listOf(chunk['choices'])[0]);
    if (choice === undefined) return;
    this.#sawChoice = true;
    if (isError(choice['error'])) throw reportedFailure(this.#context, choice['error']);
    const delta = objectOf(choice['delta']) ?? objectOf(choice['message']);
    if (delta !== undefined) this.#addDelta(delta);
    this.#usage = chatUsage(choice['usage']) ?? this.#usage;
    this.#finishReason = stringOf(choice['finish_reason']) || this.#finishReason;
  }

  /** Adds text of the answer itself. */
  addText(text: string): void {
    if (text === '') return;
    this.#content += text;
    this.#emitPieces(this.#splitter.push(text));
  }

  /** The events since the last call; neighbours of one kind are joined. */
  takeEvents(): readonly ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The last events, `done` among them. Throws `ModelError` when the answer is none. */
  finish(): readonly ModelEvent[] {
    if (!this.#sawChoice) throw failure(this.#context, 'malformed', 'the answer holds no choices');
    const stopReason = this.#stopReason();
    this.#emitPieces(this.#splitter.end());
    if (this.#halfCharacter !== '') this.#push('text', this.#halfCharacter.toWellFormed());
    this.#halfCharacter = '';
    const done: ModelEvent = {
      type: 'done',
      message: this.#message(stopReason),
      stopReason,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
    return [...this.takeEvents(), done];
  }

  #addDelta(delta: JsonObject): void {
    this.#addReasoning(delta);
    const content = delta['content'];
    if (typeof content === 'string') this.addText(content);
    else if (Array.isArray(content)) this.#addParts(content);
    this.addText(stringOf(delta['refusal']));
    const calls = delta['tool_calls'];
    if (!Array.isArray(calls)) return;
    for (const [position, entry] of calls.entries()) {
      const started = this.#calls.add(entry, position);
      if (started !== undefined) this.#events.push({ type: 'tool_call_started', ...started });
    }
    if (this.#calls.count > maxToolCalls) {
      throw failure(this.#context, 'malformed', `the answer holds more than ${maxToolCalls} tool calls`);
    }
  }

  /** Servers repeat the same words in several fields; the first that is filled counts. */
  #addReasoning(delta: JsonObject): void {
    const content = stringOf(delta['reasoning_content']);
    this.#reasoningContent += content;
    this.#details.add(delta['reasoning_details']);
    const text = stringOf(delta['reasoning']) || content || detailsText(delta['reasoning_details']);
    if (text === '') return;
    this.#reasoning += text;
    this.#push('reasoning', text);
  }

  /** Mistral streams lists of `text` and `thinking` parts. */
  #addParts(parts: readonly JsonValue[]): void {
    for (const entry of parts) {
      const part = objectOf(entry);
      if (part?.['type'] === 'text') this.addText(stringOf(part['text']));
      if (part?.['type'] !== 'thinking') continue;
      const thinking = part['thinking'];
      const text = typeof thinking === 'string' ? thinking : detailsText(thinking);
      this.#reasoning += text;
      if (text !== '') this.#push('reasoning', text);
    }
  }

  #emitPieces(pieces: readonly { readonly type: 'text' | 'reasoning'; readonly text: string }[]): void {
    for (const piece of pieces) {
      if (piece.type === 'reasoning') this.#push('reasoning', piece.text);
      else if (this.#calls.count === 0) this.#pushText(piece.text);
    }
  }

  #pushText(piece: string): void {
    const text = this.#halfCharacter + piece;
    this.#halfCharacter = '';
    const last = text.charCodeAt(text.length - 1);
    if (last < 0xd800 || last > 0xdbff) return this.#push('text', text);
    this.#halfCharacter = text.slice(-1);
    if (text.length > 1) this.#push('text', text.slice(0, -1));
  }

  #push(type: 'text' | 'reasoning', text: string): void {
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }

  #stopReason(): StopReason {
    const word = this.#finishReason.toLowerCase();
    const trouble = failingReasons.get(word);
    if (trouble !== undefined) throw failure(this.#context, trouble, `the provider broke off (${word})`);
    const known = word === '' ? 'stop' : stopReasons.get(word);
    // Some servers say `stop` although they call tools.
    if (known === 'stop' && this.#calls.count > 0) return 'tool_calls';
    return known ?? 'other';
  }

  #message(stopReason: StopReason): AssistantMessage {
    const content = this.#content.toWellFormed();
    const inline = this.#reasoning === '' && hasThinking(content) ? splitThinking(content).reasoning : '';
    const reasoning = (this.#reasoning || inline).toWellFormed();
    const calls = this.#calls.finish();
    const details = this.#details.finish();
    return {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(reasoning.trim() === '' ? {} : { reasoning }),
      ...(this.#reasoningContent === '' ? {} : { reasoning_content: this.#reasoningContent.toWellFormed() }),
      ...(details === undefined ? {} : { reasoning_details: details }),
      finish_reason: stopReason === 'other' ? this.#finishReason.slice(0, 100) : stopReason,
    };
  }
}

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
]);

/** Finish reasons that are errors in disguise. */
const failingReasons: ReadonlyMap<string, 'overloaded' | 'network'> = new Map([
  ['error', 'overloaded'],
  ['insufficient_system_resource', 'overloaded'],
  ['network_error', 'network'],
]);

function isError(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== false && value !== '';
}
