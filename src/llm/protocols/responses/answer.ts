/**
 * Builds one answer from the events of the Responses format, streamed or whole.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelEvent, StopReason } from '../../protocol.ts';
import { Answer, type OpenCall } from '../answer.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import type { WireEvent } from '../read-events.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';
import type { WireAnswer } from '../stream-answer.ts';
import { reportsFailure, responseFailure } from './failures.ts';
import { argumentsOf, holdsRefusal, type OutputItem, OutputItems, textOfItem } from './output-items.ts';
import { responsesUsage } from './usage.ts';

export class ResponsesAnswer implements WireAnswer<WireEvent> {
  readonly answer: Answer;
  /** The response has come to its end. */
  ended = false;
  readonly #context: RequestContext;
  readonly #items: OutputItems;
  #response: JsonObject = {};

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
    this.#items = new OutputItems(this.answer);
  }

  /** Everything comes with the last event, usage as well. */
  get finished(): boolean {
    return this.ended;
  }

  add({ name, data: event, form }: WireEvent): void {
    // Some endpoints wrap the whole response like its last event.
    if (form === 'whole' && event['response'] === undefined) return this.#takeWhole(event);
    const type = stringOf(event['type']) || (name ?? '');
    const error = event['error'];
    if (type === 'error' || (error !== undefined && error !== null)) throw responseFailure(this.#context, event);
    if (type === '' && event['choices'] !== undefined) {
      throw failure(
        this.#context,
        'malformed',
        'the endpoint answers in the chat-completions format; set the api_mode',
      );
    }
    switch (type) {
      case 'response.output_item.added':
        return this.#update(event, false);
      case 'response.output_item.done':
        return this.#update(event, true);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#extendMessage(event, type === 'response.refusal.delta');
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#extendReasoning(event, type === 'response.reasoning_text.delta' ? 'full' : 'summary');
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#extendCall(event);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
      case 'response.done':
        return this.#end(objectOf(event['response']) ?? {}, type.slice('response.'.length));
    }
  }

  /** Throws when it is none, or reports an error. */
  #takeWhole(response: JsonObject): void {
    const error = response['error'];
    if (error !== undefined && error !== null) throw responseFailure(this.#context, response);
    if (!Array.isArray(response['output'])) {
      if (reportsFailure(response)) throw responseFailure(this.#context, response);
      throw failure(this.#context, 'malformed', 'the answer holds no output; check the base URL and the api_mode');
    }
    this.#end(response, 'completed');
  }

  finish(): readonly ModelEvent[] {
    for (const item of this.#items.of('call')) this.#fillCall(item);
    const whole = callsOf(this.#items.of('call').filter((item) => this.#isFinished(item)));
    const reason = this.#stopReason(whole);
    this.answer.usage = responsesUsage(this.#response['usage']);
    // A call that the output limit cut stays, so that the agent can tell it from a thought or a text that was cut.
    const calls = reason === 'length' ? callsOf(this.#items.of('call')) : whole;
    // The one word for everything that is not the end: the agent goes on from it.
    return this.answer.done({ reason, word: 'incomplete', detail: this.#refusal() }, this.#replayed(), calls);
  }

  #update(event: JsonObject, done: boolean): void {
    const wire = objectOf(event['item']);
    if (wire !== undefined) this.#take(this.#items.at(event['output_index'], wire['id'], wire), wire, done);
  }

  #take(item: OutputItem, wire: JsonObject, done: boolean): void {
    // The last event may leave out what an earlier one said, but not that the item is still under way.
    item.wire = { ...item.wire, ...wire, status: wire['status'] ?? null };
    item.done ||= done;
    item.refused ||= holdsRefusal(wire);
    this.#announce(item);
    const whole = textOfItem(wire);
    if (whole === item.text) return;
    // What was streamed counts where the two differ: it has been shown.
    if (item.kind === 'call') item.text = whole || item.text;
    else if (whole.startsWith(item.text)) this.#say(item, whole.slice(item.text.length), undefined);
  }

  #extendMessage(event: JsonObject, refusal: boolean): void {
    const item = this.#itemOf(event, { type: 'message', id: event['item_id'] ?? '' });
    item.refused ||= refusal;
    if (item.kind === 'message') this.#say(item, stringOf(event['delta']), undefined);
  }

  #extendReasoning(event: JsonObject, form: 'summary' | 'full'): void {
    const item = this.#itemOf(event, { type: 'reasoning' });
    if (item.kind !== 'reasoning') return;
    // A summary is of the full text; only the one that comes first is shown.
    if (item.part !== undefined && !item.part.startsWith(form)) return;
    const place = event[form === 'summary' ? 'summary_index' : 'content_index'];
    this.#say(item, stringOf(event['delta']), `${form} ${typeof place === 'number' ? place : 0}`);
  }

  #extendCall(event: JsonObject): void {
    const item = this.#itemOf(event, { type: 'function_call' });
    if (item.kind === 'call' && !item.done) item.text += stringOf(event['delta']);
  }

  #itemOf(event: JsonObject, wire: JsonObject): OutputItem {
    return this.#items.at(event['output_index'], event['item_id'], wire);
  }

  #announce(item: OutputItem): void {
    const name = stringOf(item.wire['name']);
    if (item.kind === 'call' && name !== '') item.call ??= this.answer.startCall('', name);
  }

  #say(item: OutputItem, text: string, part: string | undefined): void {
    if (text === '') return;
    const begins = item.text === '';
    if (item.kind === 'message') {
      this.answer.addText(text, begins);
      item.text += text;
    } else if (item.kind === 'reasoning') {
      const isNext = !begins && part !== undefined && item.part !== part;
      this.answer.addReasoning(text, begins || isNext);
      item.text += isNext ? `\n\n${text}` : text;
      item.part = part ?? item.part;
    }
  }

  #end(response: JsonObject, type: string): void {
    const status = stringOf(response['status']) || (type === 'done' ? 'completed' : type);
    if (status === 'failed' || status === 'cancelled') throw responseFailure(this.#context, { ...response, status });
    this.#response = { ...response, status };
    for (const entry of listOf(response['output'])) {
      const wire = objectOf(entry);
      if (wire !== undefined) this.#take(this.#items.listed(wire), wire, true);
    }
    this.ended = true;
  }

  /** Some services do not say when an item is complete; that the whole response is complete says as much. */
  #isFinished(item: OutputItem): boolean {
    const status = item.done ? stringOf(item.wire['status']) : '';
    if (status === 'in_progress' || status === 'incomplete') return false;
    return item.done || this.#response['status'] === 'completed';
  }

  /** Custom tools take text, which is known to be all there only now. */
  #fillCall(item: OutputItem): void {
    if (item.text !== '') item.call ??= this.answer.startCall('', '');
    if (item.call === undefined) return;
    item.call.id = stringOf(item.wire['call_id']) || stringOf(item.wire['id']);
    item.call.name = stringOf(item.wire['name']);
    item.call.arguments = argumentsOf(item);
  }

  /** What the model or the service says about an answer that it refuses. */
  #refusal(): string {
    const refusals = this.#items.of('message').filter(({ refused }) => refused);
    const details = objectOf(this.#response['incomplete_details']);
    return refusals.map(({ text }) => text).join(' ') || stringOf(details?.['message']);
  }

  #stopReason(calls: readonly OpenCall[]): StopReason {
    if (calls.length > 0) return 'tool_calls';
    const reason = objectOf(this.#response['incomplete_details'])?.['reason'];
    if (reason === 'max_output_tokens') return 'length';
    if (reason === 'content_filter') return 'content_filter';
    if (this.#response['status'] !== 'completed') return 'other';
    if (this.#items.all.some((item) => item.kind !== 'other' && !this.#isFinished(item))) return 'other';
    const messages = this.#items.of('message').filter(({ text }) => text.trim() !== '');
    if (messages.length === 0) return this.#items.of('reasoning').length > 0 ? 'other' : 'stop';
    if (messages.every(isCommentary)) return 'other';
    return messages.some(({ refused }) => refused) ? 'content_filter' : 'stop';
  }

  /** What goes back to the service with the message. */
  #replayed() {
    const thoughts = this.#items.of('reasoning').flatMap(({ wire }) => keepReasoning(wire));
    const messages = this.#items.of('message').filter(({ text }) => text !== '');
    const kept = messages.map(keepMessage);
    return {
      ...(thoughts.length === 0 ? {} : { codex_reasoning_items: thoughts }),
      ...(kept.some((item) => 'id' in item || 'phase' in item) ? { codex_message_items: kept } : {}),
    };
  }
}

function callsOf(items: readonly OutputItem[]): OpenCall[] {
  return items.flatMap(({ call }) => call ?? []);
}

/** Words on the way to an answer. */
function isCommentary({ wire }: OutputItem): boolean {
  return wire['phase'] === 'commentary' || wire['phase'] === 'analysis';
}

/** Without its encrypted form the service takes no reasoning back. */
function keepReasoning(wire: JsonObject): JsonObject[] {
  const encrypted = wire['encrypted_content'];
  if (typeof encrypted !== 'string' || encrypted === '') return [];
  const id = stringOf(wire['id']);
  return [
    {
      type: 'reasoning',
      ...(id === '' ? {} : { id }),
      summary: [...listOf(wire['summary'])],
      encrypted_content: encrypted,
    },
  ];
}

function keepMessage({ wire, text }: OutputItem): JsonObject {
  const id = stringOf(wire['id']);
  const phase = stringOf(wire['phase']);
  return {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: text.toWellFormed() }],
    ...(id === '' ? {} : { id }),
    ...(phase === '' ? {} : { phase }),
  };
}
