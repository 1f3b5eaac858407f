/**
 * Builds one answer from the events of Anthropic's format, streamed or whole.
 * https://docs.claude.com/en/docs/build-with-claude/streaming
 */
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { ModelEvent, StopReason } from '../../protocol.ts';
import { Answer, type OpenCall } from '../answer.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import type { WireEvent } from '../read-events.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';
import type { WireAnswer } from '../stream-answer.ts';
import { keepThinking } from './signed-thinking.ts';
import { anthropicUsage } from './usage.ts';

/** A block while it streams. */
interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'other';
  readonly start: JsonObject;
  readonly call: OpenCall | undefined;
  text: string;
  signature: string;
}

export class AnthropicAnswer implements WireAnswer<WireEvent> {
  readonly answer: Answer;
  /** `message_stop`, or the whole message at once. */
  ended = false;
  readonly #context: RequestContext;
  readonly #blocks: OpenBlock[] = [];
  readonly #byIndex = new Map<number, OpenBlock>();
  #usage: JsonObject = {};
  #stopWord = '';
  #stopDetail = '';
  #sawMessage = false;

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
  }

  get finished(): boolean {
    return this.ended || this.#stopWord !== '';
  }

  add({ name, data: event, form }: WireEvent): void {
    const type = stringOf(event['type']) || (name ?? '');
    const error = event['error'];
    if (type === 'error' || (error !== undefined && error !== null) || (type === '' && form === 'whole')) {
      throw reportedFailure(this.#context, withStatus(error ?? event));
    }
    switch (type) {
      case 'message_start':
        return this.#begin(objectOf(event['message']));
      case 'content_block_start':
        this.#open(event['index'], objectOf(event['content_block']) ?? {});
        return;
      case 'content_block_delta':
        return this.#extend(event['index'], objectOf(event['delta']) ?? {});
      case 'message_delta':
        this.#sawMessage = true;
        this.#stop(objectOf(event['delta']) ?? {});
        return this.#count(event['usage']);
      case 'message_stop':
        this.ended = true;
        return;
      case 'message':
        return this.#takeWhole(event);
    }
  }

  finish(): readonly ModelEvent[] {
    if (!this.#sawMessage) throw failure(this.#context, 'malformed', 'the answer holds no message');
    this.answer.usage = anthropicUsage(this.#usage);
    const details = keepThinking(this.#blocks.map(finishedBlock).filter((block) => block !== undefined));
    for (const { call, start } of this.#blocks) {
      if (call !== undefined) call.arguments ||= JSON.stringify(objectOf(start['input']) ?? {});
    }
    return this.answer.done(
      { reason: this.#stopReason(), word: this.#stopWord, detail: this.#stopDetail },
      details === undefined ? {} : { reasoning_details: details },
    );
  }

  #begin(message: JsonObject | undefined): void {
    this.#sawMessage = true;
    this.#count(message?.['usage']);
  }

  #takeWhole(message: JsonObject): void {
    this.#begin(message);
    for (const [index, block] of listOf(message['content']).entries()) this.#open(index, objectOf(block) ?? {});
    this.#stop(message);
    this.ended = true;
  }

  /** `stop_details` says why an answer was refused. */
  #stop(fields: JsonObject): void {
    this.#stopWord = stringOf(fields['stop_reason']) || this.#stopWord;
    const details = objectOf(fields['stop_details']);
    const said = [stringOf(details?.['category']), stringOf(details?.['explanation'])].filter((text) => text !== '');
    if (said.length > 0) this.#stopDetail = said.join(': ');
  }

  /** Later counts replace earlier ones: they are totals, and a field that is left out has not changed. */
  #count(usage: JsonValue | undefined): void {
    const known = Object.entries(objectOf(usage) ?? {}).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  #open(index: JsonValue | undefined, start: JsonObject): OpenBlock {
    this.#sawMessage = true;
    this.answer.countPart();
    const kind = kindOf(start['type']);
    const call =
      kind === 'tool_use' ? this.answer.startCall(stringOf(start['id']), stringOf(start['name'])) : undefined;
    const block: OpenBlock = { kind, start, call, text: '', signature: stringOf(start['signature']) };
    this.#blocks.push(block);
    if (typeof index === 'number') this.#byIndex.set(index, block);
    this.#addWords(block, stringOf(start['text']), stringOf(start['thinking']));
    return block;
  }

  #extend(index: JsonValue | undefined, delta: JsonObject): void {
    const found = typeof index === 'number' ? this.#byIndex.get(index) : this.#blocks.at(-1);
    const kind = deltaKinds.get(stringOf(delta['type']));
    // Some servers leave out that a block begins; a call without its name is of no use.
    const canBegin = kind === 'text' || kind === 'thinking';
    const block = found ?? (canBegin ? this.#open(index, { type: kind }) : undefined);
    if (block === undefined || kind !== block.kind) return;
    this.#addWords(block, stringOf(delta['text']), stringOf(delta['thinking']));
    if (block.call !== undefined) block.call.arguments += stringOf(delta['partial_json']);
    block.signature = stringOf(delta['signature']) || block.signature;
  }

  #addWords(block: OpenBlock, text: string, thinking: string): void {
    const begins = block.text === '';
    if (block.kind === 'text') {
      block.text += text;
      this.answer.addText(text, begins);
    } else if (block.kind === 'thinking') {
      block.text += thinking;
      this.answer.addReasoning(thinking, begins);
    }
  }

  #stopReason(): StopReason {
    const known = this.#stopWord === '' ? 'stop' : stopReasons.get(this.#stopWord);
    // Some servers say `end_turn` although they call tools.
    if (known === 'stop' && this.answer.calls.length > 0) return 'tool_calls';
    return known ?? 'other';
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

/** https://docs.claude.com/en/api/handling-stop-reasons */
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

/**
 * Anthropic's names of errors, as the status that each has when it comes before the answer.
 * https://docs.claude.com/en/api/errors
 */
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
