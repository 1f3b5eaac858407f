/** Builds one answer from the events of the Responses format, and the events of it as they come. */
import type { JsonObject } from '../../../lib/json.ts';
import { newCallId } from '../../call-id.ts';
import type { AssistantMessage, ToolCall } from '../../message.ts';
import type { ModelEvent, StopReason } from '../../protocol.ts';
import { AnswerText } from '../answer-text.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';
import { reportsFailure, responseFailure } from './failures.ts';
import { argumentsOf, holdsRefusal, type OutputItem, OutputItems, textOfItem } from './output-items.ts';
import { responsesUsage } from './usage.ts';

/** Messages are joined with a line break, paragraphs of reasoning with an empty line. */
export class ResponsesAnswer {
  /** The response has come to its end. */
  ended = false;
  /** Something of an answer has come. */
  begun = false;
  readonly #context: RequestContext;
  readonly #words = new AnswerText();
  readonly #items = new OutputItems();
  #response: JsonObject = {};
  #callCount = 0;
  #hasText = false;
  #hasReasoning = false;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Adds an event of a stream. Throws the `ModelError` that it reports. */
  add(event: JsonObject, name: string | undefined): void {
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
    if (type.startsWith('response.')) this.begun = true;
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

  /** Takes the whole response at once. Throws when it is none, or reports an error. */
  takeWhole(response: JsonObject): void {
    const error = response['error'];
    if (error !== undefined && error !== null) throw responseFailure(this.#context, response);
    if (!Array.isArray(response['output'])) {
      if (reportsFailure(response)) throw responseFailure(this.#context, response);
      throw failure(this.#context, 'malformed', 'the answer holds no output; check the base URL and the api_mode');
    }
    this.begun = true;
    this.#end(response, 'completed');
  }

  /** The events since the last call; neighbours of one kind are joined. */
  takeEvents(): readonly ModelEvent[] {
    return this.#words.takeEvents();
  }

  /** The last events, `done` among them. */
  finish(): readonly ModelEvent[] {
    const rest = this.#words.end();
    const calls = this.#calls();
    const stopReason = this.#stopReason(calls);
    const usage = responsesUsage(this.#response['usage']);
    const message = this.#message(stopReason, stopReason === 'length' ? this.#cutCalls() : calls);
    return [...rest, { type: 'done', message, stopReason, ...(usage === undefined ? {} : { usage }) }];
  }

  #update(event: JsonObject, done: boolean): void {
    const wire = objectOf(event['item']);
    if (wire !== undefined) this.#take(this.#items.at(event['output_index'], wire['id'], wire), wire, done);
  }

  #take(found: OutputItem | undefined, wire: JsonObject, done: boolean): void {
    const item = this.#required(found);
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
    return this.#required(this.#items.at(event['output_index'], event['item_id'], wire));
  }

  #required(item: OutputItem | undefined): OutputItem {
    if (item === undefined) throw failure(this.#context, 'malformed', 'the answer holds too many items');
    return item;
  }

  #announce(item: OutputItem): void {
    const name = stringOf(item.wire['name']);
    if (item.kind !== 'call' || item.announced || name === '') return;
    item.announced = true;
    this.#words.startCall(this.#callCount, name);
    this.#callCount += 1;
  }

  #say(item: OutputItem, text: string, part: string | undefined): void {
    if (text === '') return;
    if (item.kind === 'message') {
      const separator = item.text === '' && this.#hasText ? '\n' : '';
      this.#hasText = true;
      this.#words.addText(separator + text);
      item.text += text;
    } else if (item.kind === 'reasoning') {
      const inner = item.text !== '' && part !== undefined && item.part !== part ? '\n\n' : '';
      const outer = item.text === '' && this.#hasReasoning ? '\n\n' : '';
      this.#hasReasoning = true;
      this.#words.addReasoning(outer + inner + text);
      item.text += inner + text;
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

  #calls(): ToolCall[] {
    return this.#toCalls(this.#items.of('call').filter((item) => this.#isFinished(item)));
  }

  /** A call that the output limit cut, so that the agent can tell it from a thought or a text that was cut. */
  #cutCalls(): ToolCall[] {
    return this.#toCalls(this.#items.of('call'));
  }

  /** Empty and repeated ids are replaced. */
  #toCalls(items: readonly OutputItem[]): ToolCall[] {
    const used = new Set<string>();
    return items
      .filter(({ wire, text }) => stringOf(wire['name']) !== '' || text !== '')
      .map((item) => {
        const given = stringOf(item.wire['call_id']) || stringOf(item.wire['id']);
        const id = given === '' || used.has(given) ? newCallId() : given;
        used.add(id);
        return { id, type: 'function', function: { name: stringOf(item.wire['name']), arguments: argumentsOf(item) } };
      });
  }

  #stopReason(calls: readonly ToolCall[]): StopReason {
    if (calls.length > 0) return 'tool_calls';
    const reason = objectOf(this.#response['incomplete_details'])?.['reason'];
    if (reason === 'max_output_tokens') return 'length';
    if (reason === 'content_filter') return 'content_filter';
    if (this.#response['status'] !== 'completed') return 'other';
    if (this.#items.all.some((item) => item.kind !== 'other' && !this.#isFinished(item))) return 'other';
    const messages = this.#items.of('message').filter(({ text }) => text.trim() !== '');
    if (messages.length === 0) return this.#items.of('reasoning').length > 0 ? 'other' : 'stop';
    if (messages.every(isAside)) return 'other';
    return messages.some(({ refused }) => refused) ? 'content_filter' : 'stop';
  }

  #message(stopReason: StopReason, calls: readonly ToolCall[]): AssistantMessage {
    const thoughts = this.#items.of('reasoning').flatMap(({ wire }) => keepReasoning(wire));
    const messages = this.#items.of('message').filter(({ text }) => text !== '');
    const kept = messages.map(keepMessage);
    return {
      role: 'assistant',
      ...this.#words.message(),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thoughts.length === 0 ? {} : { codex_reasoning_items: thoughts }),
      ...(kept.some((item) => 'id' in item || 'phase' in item) ? { codex_message_items: kept } : {}),
      // The one word for everything that is not the end: the agent goes on from it.
      finish_reason: stopReason === 'other' ? 'incomplete' : stopReason,
    };
  }
}

/** Words on the way to an answer. */
function isAside({ wire }: OutputItem): boolean {
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
