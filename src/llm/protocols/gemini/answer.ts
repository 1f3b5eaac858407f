/**
 * Builds one answer from the chunks of a Gemini response, streamed or whole.
 * https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { ModelEvent, StopReason, Usage } from '../../protocol.ts';
import { Answer } from '../answer.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import type { WireEvent } from '../read-events.ts';
import { countOf, listOf, objectOf, stringOf } from '../read-json.ts';
import type { WireAnswer } from '../stream-answer.ts';
import { callExtra, textDetails } from './signatures.ts';

/** Calls come whole, so their arguments need no putting together. */
export class GeminiAnswer implements WireAnswer<WireEvent> {
  readonly answer: Answer;
  /** Chunks with usage may follow at any time. */
  readonly ended = false;
  readonly #context: RequestContext;
  #signature = '';
  #finishReason = '';
  #finishMessage = '';
  #blockReason = '';
  #blockMessage = '';

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
  }

  /** Gemini said that the answer is complete, or that there will be none. */
  get finished(): boolean {
    return this.#finishReason !== '' || this.#blockReason !== '';
  }

  add({ data: chunk }: WireEvent): void {
    const error = chunk['error'];
    if (error !== undefined && error !== null) throw reportedFailure(this.#context, error);
    this.answer.usage = geminiUsage(objectOf(chunk['usageMetadata'])) ?? this.answer.usage;
    const feedback = objectOf(chunk['promptFeedback']);
    this.#blockReason = stringOf(feedback?.['blockReason']) || this.#blockReason;
    this.#blockMessage = stringOf(feedback?.['blockReasonMessage']) || this.#blockMessage;
    const candidate = listOf(chunk['candidates']).filter(isJsonObject).find(isFirst);
    if (candidate === undefined) return;
    for (const part of listOf(objectOf(candidate['content'])?.['parts']).filter(isJsonObject)) this.#addPart(part);
    this.#finishReason = stringOf(candidate['finishReason']) || this.#finishReason;
    this.#finishMessage = stringOf(candidate['finishMessage']) || this.#finishMessage;
  }

  finish(): readonly ModelEvent[] {
    const blocked = this.#finishReason === '';
    const word = blocked ? this.#blockReason : this.#finishReason;
    const message = blocked ? this.#blockMessage : this.#finishMessage;
    const said = message === '' ? word : `${word}: ${message}`;
    if (brokenCalls.has(word)) {
      throw failure(this.#context, 'malformed', `the model wrote a broken tool call (${said})`);
    }
    const reason = blocked ? 'content_filter' : this.#stopReason();
    return this.answer.done(
      { reason, word: word.toLowerCase(), detail: said },
      this.#signature === '' ? {} : { reasoning_details: textDetails(this.#signature) },
    );
  }

  #addPart(part: JsonObject): void {
    const text = stringOf(part['text']);
    const signature = stringOf(part['thoughtSignature']);
    const call = objectOf(part['functionCall']);
    if (call !== undefined) return this.#addCall(call, signature);
    if (part['thought'] === true) return this.answer.addReasoning(text);
    if (signature !== '' && this.answer.calls.length === 0) this.#signature = signature;
    this.answer.addText(text);
  }

  #addCall(wire: JsonObject, signature: string): void {
    const call = this.answer.startCall(stringOf(wire['id']), stringOf(wire['name']));
    call.arguments = JSON.stringify(objectOf(wire['args']) ?? {});
    if (signature !== '') call.extra = callExtra(signature);
  }

  #stopReason(): StopReason {
    const known = stopReasons.get(this.#finishReason);
    // Gemini says STOP although it calls tools.
    return known === 'stop' && this.answer.calls.length > 0 ? 'tool_calls' : (known ?? 'other');
  }
}

/** One answer is asked for; what an odd server sends beside it is not mixed into it. */
function isFirst({ index }: JsonObject): boolean {
  return typeof index !== 'number' || index === 0;
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
