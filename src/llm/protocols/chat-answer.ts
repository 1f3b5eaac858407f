/**
 * Builds one answer from the chunks of the chat-completions format, streamed or whole.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { ModelEvent, StopReason } from '../protocol.ts';
import { Answer } from './answer.ts';
import { ChatToolCalls } from './chat-tool-calls.ts';
import { filteredCategories } from './filtered-categories.ts';
import { failure, type RequestContext, reportedFailure } from './model-failure.ts';
import type { WireEvent } from './read-events.ts';
import { listOf, objectOf, stringOf } from './read-json.ts';
import { detailsText, ReasoningDetails } from './reasoning-details.ts';
import type { WireAnswer } from './stream-answer.ts';
import { chatUsage } from './usage.ts';

export class ChatAnswer implements WireAnswer<WireEvent> {
  readonly answer: Answer;
  /** The whole answer was read, or `[DONE]`. */
  ended = false;
  readonly #context: RequestContext;
  readonly #calls: ChatToolCalls;
  readonly #details = new ReasoningDetails();
  #reasoningContent = '';
  #finishReason = '';
  #filteredFor = '';
  #sawChoice = false;

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
    this.#calls = new ChatToolCalls(this.answer);
  }

  get finished(): boolean {
    return this.#finishReason !== '';
  }

  add({ name, data, form }: WireEvent): void {
    this.ended = form !== 'event';
    if (form === 'end') return;
    const error = data['error'] ?? (form === 'whole' && data['choices'] === undefined ? bareError(data) : undefined);
    if (isError(error)) throw reportedFailure(this.#context, error);
    // vLLM sends an object of this type.
    if (name === 'error' || data['object'] === 'error') throw reportedFailure(this.#context, data);
    this.answer.usage = chatUsage(data['usage']) ?? this.answer.usage;
    const choice = objectOf(listOf(data['choices']).find(isFirst));
    if (choice === undefined) return;
    this.#sawChoice = true;
    if (isError(choice['error'])) throw reportedFailure(this.#context, choice['error']);
    const delta = objectOf(choice['delta']) ?? objectOf(choice['message']);
    if (delta !== undefined) this.#addDelta(delta);
    this.answer.usage = chatUsage(choice['usage']) ?? this.answer.usage;
    const finishReason = stringOf(choice['finish_reason']);
    if (finishReason === '') return;
    this.#finishReason = finishReason;
    this.#filteredFor = filteredFor(choice);
  }

  finish(): readonly ModelEvent[] {
    if (!this.#sawChoice) throw failure(this.#context, 'malformed', 'the answer holds no choices');
    const details = this.#details.finish();
    return this.answer.done(
      { reason: this.#stopReason(), word: this.#finishReason, detail: this.#filteredFor },
      {
        ...(this.#reasoningContent === '' ? {} : { reasoning_content: this.#reasoningContent.toWellFormed() }),
        ...(details === undefined ? {} : { reasoning_details: details }),
      },
    );
  }

  #addDelta(delta: JsonObject): void {
    this.#addReasoning(delta);
    const content = delta['content'];
    if (typeof content === 'string') this.answer.addText(content);
    else if (Array.isArray(content)) this.#addParts(content);
    this.answer.addText(stringOf(delta['refusal']));
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) for (const [position, entry] of calls.entries()) this.#calls.add(entry, position);
  }

  /** Servers repeat the same words in several fields; the first that is filled counts. */
  #addReasoning(delta: JsonObject): void {
    const content = stringOf(delta['reasoning_content']);
    const details = listOf(delta['reasoning_details']);
    this.#reasoningContent += content;
    if (details.length > 0) this.#details.add(details);
    this.answer.addReasoning(stringOf(delta['reasoning']) || content || detailsText(details));
  }

  /** Mistral streams lists of `text` and `thinking` parts: https://docs.mistral.ai/capabilities/reasoning/ */
  #addParts(parts: readonly JsonValue[]): void {
    for (const part of parts.filter(isJsonObject)) {
      if (part['type'] === 'text') this.answer.addText(stringOf(part['text']));
      if (part['type'] === 'thinking') {
        this.answer.addReasoning(stringOf(part['thinking']) || detailsText(listOf(part['thinking'])));
      }
    }
  }

  #stopReason(): StopReason {
    const word = this.#finishReason.toLowerCase();
    const failing = failingReasons.get(word);
    if (failing !== undefined) throw failure(this.#context, failing, `the provider broke off (${word})`);
    const known = word === '' ? 'stop' : stopReasons.get(word);
    // Some servers say `stop` although they call tools.
    if (known === 'stop' && this.answer.calls.length > 0) return 'tool_calls';
    return known ?? 'other';
  }
}

/** One answer is asked for; what an odd server sends beside it is not mixed into it. */
function isFirst(choice: JsonValue): boolean {
  const index = objectOf(choice)?.['index'];
  return typeof index !== 'number' || index === 0;
}

function isError(error: JsonValue | undefined): error is JsonValue {
  return error !== undefined && error !== null && error !== false && error !== '';
}

/** Gateways put the words of an error at the top level. */
function bareError(body: JsonObject): JsonValue | undefined {
  return body['detail'] ?? body['message'];
}

/** What was filtered: Azure's categories, or the upstream provider's own reason with OpenRouter (`native_finish_reason`). */
function filteredFor(choice: JsonObject): string {
  return filteredCategories(choice['content_filter_results']).join(', ') || stringOf(choice['native_finish_reason']);
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
