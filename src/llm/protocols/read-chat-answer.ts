/** Reads the body of a chat-completions response, whichever form the server chose, into the events of one answer. */
import { createParser } from 'eventsource-parser';
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { ModelError } from '../model-error.ts';
import type { ModelEvent } from '../protocol.ts';
import { ChatAnswer } from './chat-answer.ts';
import { DeltaScanner, endsEvent, eventEnd } from './delta-scanner.ts';
import { type DeltaTemplate, readByTemplate, templateOf } from './delta-template.ts';
import { detailsOf } from './error-body.ts';
import type { Exchange } from './exchange.ts';
import { failure, type RequestContext, reportedFailure } from './model-failure.ts';

/** The largest event that is accepted, in characters. */
const maxEventChars = 16 * 1024 * 1024;
/** How long a complete answer may wait for its usage or `[DONE]`. */
const closingSilenceMs = 2000;
/** Where events differ from one another, this many bytes are parsed at a time, and then twice as many, and so on. */
const firstReach = 256;
const longestReach = 1024 * 1024;

/** What is read and told of an exchange. */
export type AnswerSource = Pick<
  Exchange,
  'response' | 'read' | 'progressed' | 'almostDone' | 'throwIfAborted' | 'finish'
>;

/**
 * Yields the events of the answer, `done` last. Endpoints that ignore `stream` are understood: what counts is the
 * first character of the body. An answer is complete with `[DONE]` or a finish reason; a connection that closes
 * before is a network failure. Throws `ModelError` only.
 */
export async function* readChatAnswer(
  exchange: AnswerSource,
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const answer = new ChatAnswer(context);
  const decoder = new TextDecoder();
  const events = new EventReader(answer, context, decoder);
  let form: 'unknown' | 'events' | 'json' = 'unknown';
  let whole = '';
  while (!events.ended) {
    const bytes = await readOrEnd(exchange, answer, signal);
    if (form === 'events' && bytes !== undefined) {
      if (events.feedBytes(bytes)) exchange.progressed();
    } else {
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      if (form === 'unknown') form = formOf(text, exchange.response.headers, context);
      if (form === 'json') whole += text;
      if (form === 'events' && events.feed(text)) exchange.progressed();
    }
    yield* answer.takeEvents();
    if (bytes === undefined) break;
    if (answer.finished) exchange.almostDone(closingSilenceMs);
  }
  if (form === 'json') addWholeAnswer(answer, whole, context);
  else events.close();
  exchange.throwIfAborted();
  exchange.finish();
  yield* answer.finish();
}

/** A finished answer is whole, however its connection ends. */
async function readOrEnd(
  exchange: AnswerSource,
  answer: ChatAnswer,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    return await exchange.read();
  } catch (error) {
    if (!answer.finished || signal.aborted) throw error;
    return undefined;
  }
}

function formOf(text: string, headers: Headers, context: RequestContext): 'unknown' | 'events' | 'json' {
  const start = text.trimStart();
  if (start === '') return 'unknown';
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) throw failure(context, 'malformed', `got ${detailsOf(start).message}; check the base URL`);
  if (headers.get('content-type')?.includes('application/json') === true) return 'json';
  if (eventStarts.some((field) => start.startsWith(field) || field.startsWith(start))) return 'events';
  throw failure(context, 'malformed', 'the answer is neither JSON nor an event stream; check the base URL');
}

const eventStarts: readonly string[] = [':', 'data', 'event', 'id', 'retry'];

function addWholeAnswer(answer: ChatAnswer, text: string, context: RequestContext): void {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw failure(context, 'malformed', 'the answer is not a JSON object');
  const error = value['choices'] === undefined ? (value['error'] ?? value['detail'] ?? value['message']) : undefined;
  if (error !== undefined && error !== null) throw reportedFailure(context, error);
  answer.add(value);
}

/** Server-sent events into the answer. */
class EventReader {
  /** `[DONE]` was read. */
  ended = false;
  readonly #answer: ChatAnswer;
  readonly #context: RequestContext;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #scanner = new DeltaScanner();
  /** Neither the decoder nor the parser holds a part of an event. */
  #between = false;
  #reach = 0;
  #count = 0;
  #template: DeltaTemplate | undefined;
  #problem: ModelError | undefined;
  readonly #parser = createParser({
    onEvent: (event) => this.#take(event.data, event.event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#fail('an event of the answer is too large');
    },
    maxBufferSize: maxEventChars,
  });

  /** The decoder may have begun a character of the bytes to come. */
  constructor(answer: ChatAnswer, context: RequestContext, decoder: InstanceType<typeof TextDecoder>) {
    this.#answer = answer;
    this.#context = context;
    this.#decoder = decoder;
  }

  /** True when the text completed an event. Throws what the provider reports. */
  feed(text: string): boolean {
    const before = this.#count;
    this.#parser.feed(text);
    if (this.#problem !== undefined) throw this.#problem;
    return this.#count > before;
  }

  /** As `feed`, for bytes that were not decoded. */
  feedBytes(chunk: Uint8Array): boolean {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const before = this.#count;
    let offset = 0;
    while (offset < bytes.length && !this.ended) {
      if (this.#between) offset = this.#scan(bytes, offset);
      if (offset === bytes.length) break;
      const end = eventEnd(bytes, offset + this.#reach);
      this.feed(this.#decoder.decode(bytes.subarray(offset, end), { stream: true }));
      this.#between = endsEvent(bytes, end);
      this.#reach = Math.min(Math.max(firstReach, this.#reach * 2), longestReach);
      offset = end;
    }
    return this.#count > before;
  }

  /** The end of the body. Throws unless the answer is complete. */
  close(): void {
    if (this.ended) return;
    // The last event may lack its blank line; a torn one means that the connection broke, not that the server errs.
    this.#parser.feed('\n\n');
    if (this.ended || this.#answer.finished) return;
    if (this.#problem !== undefined && this.#problem.kind !== 'malformed') throw this.#problem;
    const what = this.#count === 0 ? 'before the answer began' : 'in the middle of the answer';
    throw failure(this.#context, 'network', `the connection was closed ${what}`);
  }

  #scan(bytes: Buffer, start: number): number {
    const { text, count, end } = this.#scanner.scan(bytes, start);
    if (count === 0) return end;
    this.#count += count;
    this.#reach = 0;
    this.#answer.addText(text);
    return end;
  }

  #take(data: string, name: string | undefined): void {
    if (this.ended || this.#problem !== undefined || data === '') return;
    if (data === '[DONE]' || data === ' [DONE]') {
      this.ended = true;
      return;
    }
    const text = this.#template === undefined ? undefined : readByTemplate(data, this.#template);
    if (text !== undefined && name === undefined) {
      this.#count += 1;
      this.#answer.addText(text);
      return;
    }
    const value = parseJson(data);
    if (value === undefined && this.#answer.finished) return;
    if (value === undefined && name !== 'error') return this.#fail('an event of the answer is not JSON');
    this.#count += 1;
    try {
      if (isJsonObject(value)) {
        this.#answer.add(value);
        this.#learn(templateOf(data, value));
      }
      if (name === 'error') this.#problem = reportedFailure(this.#context, errorOf(value, data));
    } catch (error) {
      this.#problem =
        error instanceof ModelError ? error : failure(this.#context, 'malformed', 'a broken event', { cause: error });
    }
  }

  #learn(template: DeltaTemplate | undefined): void {
    if (template === undefined) return;
    this.#template = template;
    this.#scanner.learn(template);
  }

  #fail(what: string): void {
    this.#problem ??= failure(this.#context, 'malformed', what);
  }
}

function errorOf(value: JsonValue | undefined, data: string): JsonValue {
  return isJsonObject(value) ? (value['error'] ?? value) : data;
}
