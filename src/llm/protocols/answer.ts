/** One answer as it comes in, the same for every wire format: its words, its calls and its usage. */
import type { JsonValue } from '../../lib/json.ts';
import { newCallId } from '../call-id.ts';
import type { AssistantMessage, ToolCall } from '../message.ts';
import type { ModelEvent, StopReason, Usage } from '../protocol.ts';
import { hasThinking, splitThinking, type ThinkingPiece, ThinkingSplitter } from '../thinking.ts';
import { failure, type RequestContext, toLine } from './model-failure.ts';

/** More calls, or more parts of any kind, in one answer are a model gone astray, or an attack. */
const maxToolCalls = 256;
const maxParts = 1024;

/** About 500,000 tokens: more than any model writes in one answer. */
const maxAnswerChars = 2_000_000;
/** Characters that one token may have where a limit was asked for; text and calls have fewer. */
const mostCharsPerToken = 16;
const leastBoundChars = 200_000;

/** A call whose arguments are still coming. */
export interface OpenCall {
  /** Empty, or used twice: another one is made in the end. */
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
  /** Opaque data of the provider that goes back with the call. */
  extra?: JsonValue | undefined;
  announced: boolean;
}

export interface Stop {
  readonly reason: StopReason;
  /** The provider's word for it. */
  readonly word: string;
  /** What the provider says about it, for people; may be empty. */
  readonly detail?: string;
}

/**
 * Text events stop when a tool call begins: what a model writes behind it is kept in the message, but it is no part of
 * what the surfaces show as the answer. Inline thinking becomes reasoning events; `message.content` keeps its tags.
 */
export class Answer {
  readonly calls: OpenCall[] = [];
  usage: Usage | undefined;
  readonly #context: RequestContext;
  readonly #splitter = new ThinkingSplitter();
  #events: ModelEvent[] = [];
  #content = '';
  /** The end of `content` that was not looked through for tags yet: whole pieces of a body are, not single words. */
  #fresh = '';
  #reasoning = '';
  #parts = 0;
  /** Characters of what had come when `requireEnd` was asked. */
  #size = 0;
  /** First half of a character that was cut between two events. */
  #halfCharacter = '';

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Adds text. The first of a further block begins a new line. */
  addText(text: string, beginsBlock = false): void {
    if (text === '') return;
    const added = beginsBlock && this.#content !== '' ? `\n${text}` : text;
    this.#content += added;
    this.#fresh += added;
  }

  /** Adds reasoning. The first of a further block begins a new paragraph. */
  addReasoning(text: string, beginsBlock = false): void {
    if (text === '') return;
    const added = beginsBlock && this.#reasoning !== '' ? `\n\n${text}` : text;
    this.#reasoning += added;
    this.#split();
    this.#push('reasoning', added);
  }

  /** Begins a call; one whose name comes later is to be announced then. */
  startCall(id: string, name: string): OpenCall {
    this.#split();
    const call: OpenCall = { id, name, arguments: '', announced: false };
    this.calls.push(call);
    if (this.calls.length > maxToolCalls) {
      throw failure(this.#context, 'malformed', `the answer holds more than ${maxToolCalls} tool calls`);
    }
    this.announce(call);
    return call;
  }

  /** Tells of a call, once, when it has a name. */
  announce(call: OpenCall): void {
    if (call.announced || call.name === '') return;
    call.announced = true;
    this.#events.push({ type: 'tool_call_started', index: this.calls.indexOf(call), name: call.name });
  }

  /** To be called for every block or item of the answer. Throws when there are too many. */
  countPart(): void {
    this.#parts += 1;
    if (this.#parts <= maxParts) return;
    throw failure(this.#context, 'malformed', `the answer holds more than ${maxParts} parts`);
  }

  /**
   * Throws when an answer still grows that is longer than any model may write. Asked behind each piece of a body, so
   * that one event may be of any size.
   */
  requireEnd(): void {
    const args = this.calls.reduce((sum, call) => sum + call.arguments.length, 0);
    const size = this.#content.length + this.#reasoning.length + args;
    const wanted = (this.#context.maxTokens ?? Number.POSITIVE_INFINITY) * mostCharsPerToken;
    const bound = Math.min(maxAnswerChars, Math.max(wanted, leastBoundChars));
    if (this.#size > bound && size > this.#size) {
      const tokens = Math.round(size / 4000);
      throw failure(
        this.#context,
        'answer_too_long',
        `the answer was cut off: it had no end after about ${tokens},000 tokens`,
      );
    }
    this.#size = size;
  }

  /** The events since the last call; neighbours of one kind are joined. */
  takeEvents(): readonly ModelEvent[] {
    this.#split();
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The same with what was held back, when nothing more will come. */
  rest(): readonly ModelEvent[] {
    this.#split();
    this.#emit(this.#splitter.end());
    this.#push('text', this.#halfCharacter.toWellFormed());
    this.#halfCharacter = '';
    return this.takeEvents();
  }

  /** The last events, with the message of what has come; `fields` are those that only one wire format knows. */
  done(stop: Stop, fields: Partial<AssistantMessage> = {}, calls: readonly OpenCall[] = this.calls): ModelEvent[] {
    const toolCalls = toToolCalls(calls);
    const message: AssistantMessage = {
      role: 'assistant',
      ...this.#words(),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      ...fields,
      finish_reason: stop.reason === 'other' ? stop.word.slice(0, 100) : stop.reason,
    };
    const stopDetail = stop.reason === 'content_filter' ? toLine(stop.detail ?? '') : '';
    const done: ModelEvent = {
      type: 'done',
      message,
      stopReason: stop.reason,
      ...(stopDetail === '' ? {} : { stopDetail }),
      ...(this.usage === undefined ? {} : { usage: this.usage }),
    };
    return [...this.rest(), done];
  }

  #words(): Pick<AssistantMessage, 'content' | 'reasoning'> {
    const content = this.#content.toWellFormed();
    const inline = this.#reasoning === '' && hasThinking(content) ? splitThinking(content).reasoning : '';
    const reasoning = (this.#reasoning || inline).toWellFormed();
    return { content: content === '' ? null : content, ...(reasoning.trim() === '' ? {} : { reasoning }) };
  }

  #split(): void {
    if (this.#fresh === '') return;
    const text = this.#fresh;
    this.#fresh = '';
    this.#emit(this.#splitter.push(text));
  }

  #emit(pieces: readonly ThinkingPiece[]): void {
    for (const { type, text } of pieces) {
      if (type === 'reasoning') this.#push('reasoning', text);
      else if (this.calls.length === 0) this.#pushText(text);
    }
  }

  #pushText(piece: string): void {
    const text = this.#halfCharacter + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#halfCharacter = isHalf ? text.slice(-1) : '';
    this.#push('text', isHalf ? text.slice(0, -1) : text);
  }

  #push(type: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }
}

/** Empty and repeated ids are replaced. */
function toToolCalls(calls: readonly OpenCall[]): ToolCall[] {
  const used = new Set<string>();
  const written = calls.filter((call) => call.name !== '' || call.arguments !== '');
  return written.map(({ id: given, name, arguments: args, extra }) => {
    const id = given === '' || used.has(given) ? newCallId() : given;
    used.add(id);
    return {
      id,
      type: 'function',
      function: { name, arguments: args },
      ...(extra === undefined || extra === null ? {} : { extra_content: extra }),
    };
  });
}
