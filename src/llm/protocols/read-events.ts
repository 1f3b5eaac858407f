/** Reads the body of a response as server-sent events of JSON objects, or as the one object that came instead. */
import { createParser } from 'eventsource-parser';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { ModelError } from '../model-error.ts';
import { detailsOf } from './error-body.ts';
import type { Exchange } from './exchange.ts';
import { failure, type RequestContext } from './model-failure.ts';

/** The largest event that is accepted, in characters. */
const maxEventChars = 16 * 1024 * 1024;

export interface WireEvent {
  /** The `event:` field; undefined when there was none. */
  readonly name: string | undefined;
  readonly data: JsonObject;
  /** The whole body was this one object: the endpoint did not stream. */
  readonly whole: boolean;
  /** The next event has come already, so what this one brings may be handed on together with it. */
  readonly more?: boolean;
}

/**
 * The events in order. Ends with the body: whether the answer is complete is for the reader to say, as is `finish` on
 * the exchange. Events that are no JSON objects, HTML pages, and events over 16 million characters are a `ModelError`
 * of kind `malformed`; `[DONE]` is skipped.
 */
export async function* readEvents(exchange: Exchange, context: RequestContext): AsyncGenerator<WireEvent> {
  const decoder = new TextDecoder();
  const pending: WireEvent[] = [];
  let problem: ModelError | undefined;
  const parser = createParser({
    onEvent: ({ data, event }) => {
      if (problem !== undefined || data === '' || data.trim() === '[DONE]') return;
      const value = parseJson(data);
      if (isJsonObject(value)) pending.push({ name: event, data: value, whole: false });
      else problem = failure(context, 'malformed', 'an event of the answer is not a JSON object');
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        problem ??= failure(context, 'malformed', 'an event of the answer is too large');
    },
    maxBufferSize: maxEventChars,
  });
  let form: 'unknown' | 'events' | 'json' = 'unknown';
  let text = '';
  for (let open = true; open; ) {
    const bytes = await exchange.read();
    open = bytes !== undefined;
    const piece = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    if (form !== 'events') text += piece;
    if (form === 'unknown') form = formOf(text, context);
    if (form !== 'events') continue;
    parser.feed(text === '' ? piece : text);
    text = '';
    // The last event may lack its blank line.
    if (!open) parser.feed('\n\n');
    if (pending.length > 0) exchange.progressed();
    const events = pending.splice(0);
    for (const [index, event] of events.entries()) yield index + 1 < events.length ? { ...event, more: true } : event;
    if (problem !== undefined) throw problem;
  }
  if (form === 'json') {
    const value = parseJson(text);
    if (!isJsonObject(value)) throw failure(context, 'malformed', 'the answer is not a JSON object');
    yield { name: undefined, data: value, whole: true };
  }
}

function formOf(text: string, context: RequestContext): 'unknown' | 'events' | 'json' {
  const start = text.trimStart();
  if (start === '') return 'unknown';
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) throw failure(context, 'malformed', `got ${detailsOf(start).message}; check the base URL`);
  if (eventStarts.some((field) => start.startsWith(field) || field.startsWith(start))) return 'events';
  throw failure(context, 'malformed', 'the answer is neither JSON nor an event stream; check the base URL');
}

const eventStarts: readonly string[] = [':', 'data', 'event', 'id', 'retry'];
