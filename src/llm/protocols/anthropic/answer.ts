/** Builds one answer from the events of Anthropic's format, and the events of it as they come. */
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import { newCallId } from '../../call-id.ts';
import type { AssistantMessage, ToolCall } from '../../message.ts';
import type { ModelEvent, StopReason } from '../../protocol.ts';
import { hasThinking, splitThinking, ThinkingSplitter } from '../../thinking.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';
import { keepThinking } from './signed-thinking.ts';
import { anthropicUsage } from './usage.ts';

/** More blocks in one answer are a model gone astray, or an attack. */
const maxBlocks = 1024;

/** A block while it streams. `partial` is the JSON text of a call's input. */
interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'other';
  readonly start: JsonObject;
  text: string;
  signature: string;
  partial: string;
}

/**
 * Text blocks are joined with a line break. Text events stop when a tool call begins: what a model writes behind it is
 * kept in the message, but it is no part of what the surfaces show as the answer. Inline thinking becomes reasoning
 * events; `message.content` keeps its tags.
 */
export class AnthropicAnswer {
  /** The answer is over: `message_stop`, or the whole message at once. */
  ended = false;
  readonly #context: RequestContext;
  readonly #splitter = new ThinkingSplitter();
  readonly #blocks: OpenBlock[] = [];
  readonly #byIndex = new Map<number, OpenBlock>();
  #events: ModelEvent[] = [];
  #usage: JsonObject = {};
  #stopWord = '';
  #callCount = 0;
  #hasText = false;
  #hasReasoning = false;
  #sawMessage = false;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The provider said why it stopped, so nothing of the answer is missing. */
  get finished(): boolean {
    return this.ended || this.#stopWord !== '';
  }

  /** Something of an answer has come. */
  get begun(): boolean {
    return this.#sawMessage;
  }

  /** Adds an event of a stream, or a whole message. Throws the `ModelError` that it reports. */
  add(event: JsonObject, name: string | undefined): void {
    const type = stringOf(event['type']) || (name ?? '');
    const error = event['error'];
    if (type === 'error' || (error !== undefined && error !== null)) {
      throw reportedFailure(this.#context, withStatus(error ?? event));
    }
    switch (type) {
      case 'message_start':
        this.#begin(objectOf(event['message']));
        return;
      case 'content_block_start':
        this.#open(event['index'], objectOf(event['content_block']) ?? {});
        return;
      case 'content_block_delta':
        this.#extend(event['index'], objectOf(event['delta']) ?? {});
        return;
      case 'message_delta':
        this.#sawMessage = true;
        this.#stopWord = stringOf(objectOf(event['delta'])?.['stop_reason']) || this.#stopWord;
        this.#count(event['usage']);
        return;
      case 'message_stop':
        this.ended = true;
        return;
      case 'message':
        this.#takeWhole(event);
        return;
    }
  }

  /** The events since the last call; neighbours of one kind are joined. */
  takeEvents(): readonly ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The last events, `done` among them. Throws `ModelError` when the answer is none. */
  finish(): readonly ModelEvent[] {
    if (!this.#sawMessage) throw failure(this.#context, 'malformed', 'the answer holds no message');
    this.#emitPieces(this.#splitter.end());
    const stopReason = this.#stopReason();
    const usage = anthropicUsage(this.#usage);
    const message = this.#message(stopReason);
    return [...this.takeEvents(), { type: 'done', message, stopReason, ...(usage === undefined ? {} : { usage }) }];
  }

  #begin(message: JsonObject | undefined): void {
    this.#sawMessage = true;
    this.#count(message?.['usage']);
  }

  #takeWhole(message: JsonObject): void {
    this.#begin(message);
    for (const [index, block] of listOf(message['content']).entries()) this.#open(index, objectOf(block) ?? {});
    this.#stopWord = stringOf(message['stop_reason']);
    this.ended = true;
  }

  /** Later counts replace earlier ones: they are totals, and a field that is left out has not changed. */
  #count(usage: JsonValue | undefined): void {
    const known = Object.entries(objectOf(usage) ?? {}).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  #open(index: JsonValue | undefined, start: JsonObject): OpenBlock {
    this.#sawMessage = true;
    const block: OpenBlock = { kind: kindOf(start['type']), start, text: '', signature: '', partial: '' };
    if (this.#blocks.length >= maxBlocks) {
      throw failure(this.#context, 'malformed', `the answer holds more than ${maxBlocks} blocks`);
    }
    this.#blocks.push(block);
    if (typeof index === 'number') this.#byIndex.set(index, block);
    if (block.kind === 'tool_use') {
      this.#events.push({ type: 'tool_call_started', index: this.#callCount, name: stringOf(start['name']) });
      this.#callCount += 1;
    }
    this.#addText(block, stringOf(start['text']));
    this.#addThought(block, stringOf(start['thinking']));
    block.signature = stringOf(start['signature']);
    return block;
  }

  #extend(index: JsonValue | undefined, delta: JsonObject): void {
    const found = typeof index === 'number' ? this.#byIndex.get(index) : this.#blocks.at(-1);
    const kind = deltaKinds.get(stringOf(delta['type']));
    // Some servers leave out that a block begins; a call without its name is of no use.
    const canBegin = kind === 'text' || kind === 'thinking';
    const block = found ?? (canBegin ? this.#open(index, { type: kind }) : undefined);
    if (block === undefined || kind !== block.kind) return;
    this.#addText(block, stringOf(delta['text']));
    this.#addThought(block, stringOf(delta['thinking']));
    block.partial += stringOf(delta['partial_json']);
    block.signature = stringOf(delta['signature']) || block.signature;
  }

  #addText(block: OpenBlock, text: string): void {
    if (text === '' || block.kind !== 'text') return;
    const separator = block.text === '' && this.#hasText ? '\n' : '';
    this.#hasText = true;
    block.text += text;
    this.#emitPieces(this.#splitter.push(separator + text));
  }

  #addThought(block: OpenBlock, text: string): void {
    if (text === '' || block.kind !== 'thinking') return;
    const separator = block.text === '' && this.#hasReasoning ? '\n\n' : '';
    this.#hasReasoning = true;
    block.text += text;
    this.#push('reasoning', separator + text);
  }

  #emitPieces(pieces: readonly { readonly type: 'text' | 'reasoning'; readonly text: string }[]): void {
    for (const piece of pieces) {
      if (piece.type === 'reasoning' || this.#callCount === 0) this.#push(piece.type, piece.text);
    }
  }

  #push(type: 'text' | 'reasoning', text: string): void {
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }

  #stopReason(): StopReason {
    const known = this.#stopWord === '' ? 'stop' : stopReasons.get(this.#stopWord);
    // Some servers say `end_turn` although they call tools.
    if (known === 'stop' && this.#callCount > 0) return 'tool_calls';
    return known ?? 'other';
  }

  #message(stopReason: StopReason): AssistantMessage {
    const content = this.#textsOf('text').join('\n').toWellFormed();
    const thoughts = this.#textsOf('thinking').join('\n\n');
    const inline = thoughts === '' && hasThinking(content) ? splitThinking(content).reasoning : '';
    const reasoning = (thoughts || inline).toWellFormed();
    const calls = this.#calls();
    const details = keepThinking(this.#blocks.map(finishedBlock).filter((block) => block !== undefined));
    return {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(reasoning.trim() === '' ? {} : { reasoning }),
      ...(details === undefined ? {} : { reasoning_details: details }),
      finish_reason: stopReason === 'other' ? this.#stopWord.slice(0, 100) : stopReason,
    };
  }

  #textsOf(kind: 'text' | 'thinking'): string[] {
    return this.#blocks.filter((block) => block.kind === kind && block.text !== '').map((block) => block.text);
  }

  /** Empty and repeated ids are replaced. */
  #calls(): ToolCall[] {
    const used = new Set<string>();
    return this.#blocks
      .filter((block) => block.kind === 'tool_use')
      .map((block) => {
        const given = stringOf(block.start['id']);
        const id = given === '' || used.has(given) ? newCallId() : given;
        used.add(id);
        const input = block.partial || JSON.stringify(objectOf(block.start['input']) ?? {});
        return { id, type: 'function', function: { name: stringOf(block.start['name']), arguments: input } };
      });
  }
}

/** The block as it goes into the record of signed thinking; undefined for empty text and foreign blocks. */
function finishedBlock({ kind, start, text, signature }: OpenBlock): JsonObject | undefined {
  switch (kind) {
    case 'thinking':
      return { type: kind, thinking: text, ...(signature === '' ? {} : { signature }) };
    case 'text':
      return text === '' ? undefined : { type: kind, text };
    case 'redacted_thinking':
    case 'tool_use':
      return start;
    case 'other':
      return undefined;
  }
}

function kindOf(type: JsonValue | undefined): OpenBlock['kind'] {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return type;
    default:
      return 'other';
  }
}

const deltaKinds: ReadonlyMap<string, OpenBlock['kind']> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
  ['input_json_delta', 'tool_use'],
]);

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  // A long turn that the service put off: what has come is kept, and the model is asked to go on.
  ['pause_turn', 'length'],
  ['refusal', 'content_filter'],
]);

/** Anthropic's names of errors, as the status that each has when it comes before the answer. */
const errorStatuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

function withStatus(error: JsonValue): JsonValue {
  const fields = objectOf(error);
  const status = errorStatuses.get(stringOf(fields?.['type']));
  return fields === undefined || status === undefined ? error : { ...fields, status };
}
