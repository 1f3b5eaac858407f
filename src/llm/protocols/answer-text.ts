/** The words of one answer: visible text and reasoning, gathered for the message and told as events while they come. */
import type { AssistantMessage } from '../message.ts';
import type { ModelEvent } from '../protocol.ts';
import { hasThinking, splitThinking, ThinkingSplitter } from '../thinking.ts';

/**
 * Text events stop when a tool call begins: what a model writes behind it is kept in the message only. Inline thinking
 * becomes reasoning events; the content keeps its tags.
 */
export class AnswerText {
  readonly #splitter = new ThinkingSplitter();
  #events: ModelEvent[] = [];
  #content = '';
  #reasoning = '';
  #calling = false;

  /** Nothing was said or thought so far. */
  get isEmpty(): boolean {
    return this.#content === '' && this.#reasoning === '';
  }

  addText(text: string): void {
    if (text === '') return;
    this.#content += text;
    this.#emit(this.#splitter.push(text));
  }

  addReasoning(text: string): void {
    this.#reasoning += text;
    this.#push('reasoning', text);
  }

  startCall(index: number, name: string): void {
    this.#calling = true;
    this.#events.push({ type: 'tool_call_started', index, name });
  }

  /** The events since the last call; neighbours of one kind are joined. */
  takeEvents(): readonly ModelEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** What was held back, when the answer is complete. */
  end(): readonly ModelEvent[] {
    this.#emit(this.#splitter.end());
    return this.takeEvents();
  }

  /** The fields of the message that hold words. */
  message(): Pick<AssistantMessage, 'content' | 'reasoning'> {
    const content = this.#content.toWellFormed();
    const inline = this.#reasoning === '' && hasThinking(content) ? splitThinking(content).reasoning : '';
    const reasoning = (this.#reasoning || inline).toWellFormed();
    return { content: content === '' ? null : content, ...(reasoning.trim() === '' ? {} : { reasoning }) };
  }

  #emit(pieces: readonly { readonly type: 'text' | 'reasoning'; readonly text: string }[]): void {
    for (const { type, text } of pieces) {
      if (type === 'reasoning' || !this.#calling) this.#push(type, text);
    }
  }

  #push(type: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }
}
