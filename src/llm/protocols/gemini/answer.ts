/** Builds one answer from the chunks of a Gemini response, and the events of it as they come. */
import type { JsonObject } from '../../../lib/json.ts';
import { newCallId } from '../../call-id.ts';
import type { AssistantMessage, ToolCall } from '../../message.ts';
import type { ModelEvent, StopReason, Usage } from '../../protocol.ts';
import { AnswerText } from '../answer-text.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import { countOf, listOf, objectOf, stringOf } from '../read-json.ts';
import { callExtra, textDetails } from './signatures.ts';

/** More calls in one answer are a model gone astray, or an attack. */
const maxToolCalls = 256;

/** Calls come whole, so their arguments need no putting together. */
export class GeminiAnswer {
  readonly #context: RequestContext;
  readonly #text = new AnswerText();
  readonly #calls: ToolCall[] = [];
  readonly #usedIds = new Set<string>();
  #signature = '';
  #usage: Usage | undefined;
  #finishReason = '';
  #finishMessage = '';
  #blockReason = '';

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Gemini said that the answer is complete, or that there will be none. */
  get finished(): boolean {
    return this.#finishReason !== '' || this.#blockReason !== '';
  }

  /** Adds a chunk of a stream, or a whole answer. Throws the `ModelError` that it reports. */
  add(chunk: JsonObject): void {
    const error = chunk['error'];
    if (error !== undefined && error !== null) throw reportedFailure(this.#context, error);
    this.#usage = geminiUsage(objectOf(chunk['usageMetadata'])) ?? this.#usage;
    this.#blockReason = stringOf(objectOf(chunk['promptFeedback'])?.['blockReason']) || this.#blockReason;
    const candidate = objectOf(listOf(chunk['candidates'])[0]);
    if (candidate === undefined) return;
    for (const entry of listOf(objectOf(candidate['content'])?.['parts'])) {
      const part = objectOf(entry);
      if (part !== undefined) this.#addPart(part);
    }
    this.#finishReason = stringOf(candidate['finishReason']) || this.#finishReason;
    this.#finishMessage = stringOf(candidate['finishMessage']) || this.#finishMessage;
  }

  takeEvents(): readonly ModelEvent[] {
    return this.#text.takeEvents();
  }

  /** The last events, `done` among them. Throws `ModelError` when the answer is not complete, or none. */
  finish(): readonly ModelEvent[] {
    if (!this.finished) {
      const begun = !this.#text.isEmpty || this.#calls.length > 0;
      const what = begun ? 'in the middle of the answer' : 'before the answer began';
      throw failure(this.#context, 'network', `the answer broke off ${what}`);
    }
    const stopReason = this.#stopReason();
    const rest = this.#text.end();
    const done: ModelEvent = {
      type: 'done',
      message: this.#message(stopReason),
      stopReason,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
    return [...rest, done];
  }

  #addPart(part: JsonObject): void {
    const text = stringOf(part['text']);
    const signature = stringOf(part['thoughtSignature']);
    const call = objectOf(part['functionCall']);
    if (call !== undefined) return this.#addCall(call, signature);
    if (part['thought'] === true) return this.#text.addReasoning(text);
    if (signature !== '' && this.#calls.length === 0) this.#signature = signature;
    this.#text.addText(text);
  }

  #addCall(call: JsonObject, signature: string): void {
    const name = stringOf(call['name']);
    const given = stringOf(call['id']);
    const id = given === '' || this.#usedIds.has(given) ? newCallId() : given;
    this.#usedIds.add(id);
    this.#text.startCall(this.#calls.length, name);
    this.#calls.push({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(objectOf(call['args']) ?? {}) },
      ...(signature === '' ? {} : { extra_content: callExtra(signature) }),
    });
    if (this.#calls.length > maxToolCalls) {
      throw failure(this.#context, 'malformed', `the answer holds more than ${maxToolCalls} tool calls`);
    }
  }

  #stopReason(): StopReason {
    if (this.#finishReason === '') return 'content_filter';
    if (brokenCalls.has(this.#finishReason)) {
      const why = this.#finishMessage === '' ? '' : `: ${this.#finishMessage}`;
      throw failure(this.#context, 'malformed', `the model wrote a broken tool call (${this.#finishReason})${why}`);
    }
    const known = stopReasons.get(this.#finishReason);
    // Gemini says STOP although it calls tools.
    return known === 'stop' && this.#calls.length > 0 ? 'tool_calls' : (known ?? 'other');
  }

  #message(stopReason: StopReason): AssistantMessage {
    return {
      role: 'assistant',
      ...this.#text.message(),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      ...(this.#signature === '' ? {} : { reasoning_details: textDetails(this.#signature) }),
      finish_reason: stopReason === 'other' ? this.#finishReason.slice(0, 100).toLowerCase() : stopReason,
    };
  }
}

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
]);

/** The call itself is lost; asking again is the remedy. */
const brokenCalls: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'MALFORMED_RESPONSE',
]);

/** `promptTokenCount` includes what was cached; thoughts are not among the candidates' tokens. */
function geminiUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const prompt = countOf(usage['promptTokenCount']) + countOf(usage['toolUsePromptTokenCount']);
  const reasoning = countOf(usage['thoughtsTokenCount']);
  const output = countOf(usage['candidatesTokenCount']) + reasoning;
  if (prompt === 0 && output === 0) return undefined;
  const cacheRead = Math.min(prompt, countOf(usage['cachedContentTokenCount']));
  return { input: prompt - cacheRead, output, cacheRead, cacheWrite: 0, reasoning };
}
