/**
 * Reads the body of a response as server-sent events of JSON objects, or as the one object that came instead: endpoints
 * that ignore `stream` are understood, because what counts is the first character of the body.
 *
 * The format of the events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { ModelError } from '../model-error.ts';
import { detailsOf } from './error-body.ts';
import type { Exchange } from './exchange.ts';
import { failure, type RequestContext } from './model-failure.ts';

export interface WireEvent {
  /** The `event:` field; undefined when there was none. */
  readonly name: string | undefined;
  readonly data: JsonObject;
  /** `whole`: the body was this one object. `end`: `[DONE]`, which some services write behind the last event. */
  readonly form: 'event' | 'whole' | 'end';
}

/** How the events of a format are parsed where that can be done faster than with JSON alone. */
export interface EventParser {
  /** Undefined when the event is not JSON. */
  parse(data: string): JsonValue | undefined;
  /** The text of an event that adds text and does nothing else, where that can be told without parsing it. */
  textIn(data: string): string | undefined;
  /** The event that a run of such events amounts to. */
  eventOf(text: string): JsonObject;
}

/**
 * The events in order, those of one piece of the body together. Ends with the body or with `[DONE]`: whether the answer
 * is complete is for the reader to say. An event that is no JSON, and a body that is something else, are a `ModelError`
 * of kind `malformed`, thrown behind the events before it; an event that the end of the body tore is none.
 */
export async function* readEvents(
  exchange: Pick<Exchange, 'read' | 'header'>,
  context: RequestContext,
  parser?: EventParser,
): AsyncGenerator<readonly WireEvent[]> {
  const decoder = new TextDecoder();
  const events = new EventQueue(context, parser);
  let form: 'unknown' | 'events' | 'json' = 'unknown';
  let text = '';
  for (let open = true; open; ) {
    const bytes = await exchange.read();
    open = bytes !== undefined;
    text += bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    if (form === 'unknown') form = formOf(text, exchange.header('content-type'), context);
    if (form !== 'events') continue;
    const found = events.feed(text);
    text = '';
    if (found.length > 0) yield found;
    if (events.problem !== undefined) throw events.problem;
    if (found.at(-1)?.form === 'end') return;
  }
  if (form === 'events') {
    // The last event may lack its blank line.
    const last = events.feed('\n\n');
    if (last.length > 0) yield last;
  }
  if (form !== 'json') return;
  const data = parseJson(text);
  if (!isJsonObject(data)) throw failure(context, 'malformed', 'the answer is not a JSON object');
  yield [{ name: undefined, data, form: 'whole' }];
}

class EventQueue {
  problem: ModelError | undefined;
  readonly #context: RequestContext;
  readonly #json: EventParser | undefined;
  readonly #parser = createParser({ onEvent: (event) => this.#add(event) });
  #events: WireEvent[] = [];
  /** Of a run of events. */
  #text = '';

  constructor(context: RequestContext, parser: EventParser | undefined) {
    this.#context = context;
    this.#json = parser;
  }

  /** The events that the text completes. */
  feed(text: string): readonly WireEvent[] {
    this.#events = [];
    this.#parser.feed(text);
    this.#endRun();
    return this.#events;
  }

  #add({ data: text, event: name }: EventSourceMessage): void {
    if (this.problem !== undefined || text === '' || this.#events.at(-1)?.form === 'end') return;
    const plain = name === undefined ? this.#json?.textIn(text) : undefined;
    if (plain !== undefined) {
      this.#text += plain;
      return;
    }
    this.#endRun();
    // Asked first: to find out that it is no JSON costs more than most events.
    if (text.trim() === '[DONE]') return void this.#events.push({ name, data: {}, form: 'end' });
    const data = this.#json === undefined ? parseJson(text) : this.#json.parse(text);
    if (isJsonObject(data)) this.#events.push({ name, data, form: 'event' });
    else if (name === 'error') this.#events.push({ name, data: { error: text }, form: 'event' });
    else if (data === undefined)
      this.problem = failure(this.#context, 'malformed', 'an event of the answer is not JSON');
  }

  #endRun(): void {
    if (this.#text === '' || this.#json === undefined) return;
    this.#events.push({ name: undefined, data: this.#json.eventOf(this.#text), form: 'event' });
    this.#text = '';
  }
}

function formOf(text: string, contentType: string | undefined, context: RequestContext): 'unknown' | 'events' | 'json' {
  const start = text.trimStart();
  if (start === '') return 'unknown';
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  // No model behind this address: asking again would bring the same page.
  if (start.startsWith('<'))
    throw failure(context, 'not_found', `got ${detailsOf(start).message} in place of an answer`);
  if (contentType?.includes('application/json') === true) return 'json';
  if (eventStarts.some((field) => start.startsWith(field) || field.startsWith(start))) return 'events';
  throw failure(context, 'malformed', 'the answer is neither JSON nor an event stream; check the base URL');
}

const eventStarts: readonly string[] = [':', 'data', 'event', 'id', 'retry'];
