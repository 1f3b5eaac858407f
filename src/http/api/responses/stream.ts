/** A turn as the stream of events that clients of the Responses API read. */
import type { AgentEvent } from '../../../agent/events.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { maskKeys } from '../../../lib/secrets.ts';
import type { EventStream } from '../../event-stream.ts';
import { AnswerText } from '../answer-text.ts';
import { responsesUsage, shortfallOf } from '../turn-end.ts';
import type { TurnOutcome } from '../turns.ts';
import { callItem, newId, shortened } from './output.ts';

/** Text is joined for so long before it is sent, in milliseconds. */
const joinMs = 50;

interface OpenMessage {
  readonly id: string;
  readonly index: number;
  text: string;
  /** Not sent yet. */
  waiting: string;
}

/** Each item is announced, filled and closed before the next one; calls that run side by side stay open together. */
export class ResponseStream {
  readonly #stream: EventStream;
  readonly #head: JsonObject;
  readonly #text = new AnswerText();
  readonly #items: JsonObject[] = [];
  readonly #calls = new Map<string, { readonly index: number; readonly item: JsonObject }>();
  #message: OpenMessage | undefined;
  #sequence = 0;
  #joining: NodeJS.Timeout | undefined;

  /** `head`: what the response has from the beginning. */
  constructor(stream: EventStream, head: JsonObject) {
    this.#stream = stream;
    this.#head = head;
    this.#send('response.created', { response: this.response('in_progress') });
  }

  /** As it is now. */
  response(status: string, more: JsonObject = {}): JsonObject {
    return { ...this.#head, status, output: this.#items.map(shortened), ...more };
  }

  hear(event: AgentEvent): void {
    const text = this.#text.take(event);
    if (text !== '') this.#say(text);
    if (event.type === 'tool_started') this.#callStarted(event);
    if (event.type === 'tool_finished') this.#callFinished(event);
  }

  /** The response as it ended; `end` tells it. */
  finish(outcome: TurnOutcome): JsonObject {
    const rest = this.#text.finish(outcome.result);
    if (rest !== '') this.#say(rest);
    this.#closeMessage();
    const shortfall = shortfallOf(outcome.result);
    const usage = { usage: responsesUsage(outcome.usage) };
    if (shortfall === undefined) return this.response('completed', usage);
    const error = { message: shortfall.error, type: 'server_error', code: shortfall.error_code };
    return this.response('failed', { ...usage, error });
  }

  /** The same for a turn that came to no end. */
  fail(error: unknown): JsonObject {
    this.#closeMessage();
    const told = { message: maskKeys(errorMessage(error)), type: 'server_error', code: 'server_error' };
    return this.response('failed', { error: told });
  }

  end(response: JsonObject): void {
    this.#send(response['status'] === 'completed' ? 'response.completed' : 'response.failed', { response });
    this.#stream.end();
  }

  #say(text: string): void {
    const message = this.#message ?? this.#openMessage();
    message.text += text;
    message.waiting += text;
    this.#joining ??= setTimeout(() => this.#sendText(), joinMs);
  }

  #openMessage(): OpenMessage {
    const id = newId('msg', 24);
    const index = this.#items.length;
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    this.#items.push(item);
    this.#message = { id, index, text: '', waiting: '' };
    this.#send('response.output_item.added', { output_index: index, item });
    this.#send('response.content_part.added', {
      item_id: id,
      output_index: index,
      content_index: 0,
      part: textPart(''),
    });
    return this.#message;
  }

  #sendText(): void {
    clearTimeout(this.#joining);
    this.#joining = undefined;
    const message = this.#message;
    if (message === undefined || message.waiting === '') return;
    const { id, index, waiting: delta } = message;
    message.waiting = '';
    this.#send('response.output_text.delta', {
      item_id: id,
      output_index: index,
      content_index: 0,
      delta,
      logprobs: [],
    });
  }

  #closeMessage(): void {
    this.#sendText();
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    const { id, index, text } = message;
    const place = { item_id: id, output_index: index, content_index: 0 };
    this.#send('response.output_text.done', { ...place, text, logprobs: [] });
    this.#send('response.content_part.done', { ...place, part: textPart(text) });
    this.#closeItem(index, { id, type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] });
  }

  #callStarted(event: Extract<AgentEvent, { type: 'tool_started' }>): void {
    this.#closeMessage();
    const item = { id: newId('fc', 24), status: 'in_progress', ...callItem(event) };
    const index = this.#items.push(item) - 1;
    this.#calls.set(event.callId, { index, item });
    this.#send('response.output_item.added', { output_index: index, item });
  }

  #callFinished({ callId, result }: Extract<AgentEvent, { type: 'tool_finished' }>): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.delete(callId);
    this.#closeMessage();
    this.#closeItem(call.index, { ...call.item, status: 'completed' });
    const output = [{ type: 'input_text', text: result }];
    const item = { id: newId('fco', 24), type: 'function_call_output', status: 'completed', call_id: callId, output };
    const index = this.#items.push(item) - 1;
    this.#send('response.output_item.added', { output_index: index, item });
    this.#closeItem(index, item);
  }

  #closeItem(index: number, item: JsonObject): void {
    this.#items[index] = item;
    this.#send('response.output_item.done', { output_index: index, item });
  }

  #send(type: string, data: JsonObject): void {
    this.#stream.send({ event: type, data: { type, sequence_number: this.#sequence, ...data } });
    this.#sequence += 1;
  }
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [] };
}
