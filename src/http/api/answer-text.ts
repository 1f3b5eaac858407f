/** The text of an answer as it is streamed: what was sent cannot be taken back, whatever the model does. */
import type { AgentEvent, TurnResult } from '../../agent/events.ts';

/**
 * Turns events into the pieces of text that a reader gets. A request that is made again begins its text anew: as long as it
 * says the same it is not sent twice. Texts between tool calls are set apart by an empty line.
 */
export class AnswerText {
  #sent = '';
  /** Where the text of the request under way begins in it. */
  #from = 0;
  /** What a repeated request has to say again before it says anything new. */
  #toRepeat = '';
  /** The text of the last request that said something. */
  #last = '';

  /** All that was sent. */
  get sent(): string {
    return this.#sent;
  }

  /** The next piece; empty when there is none. */
  take(event: AgentEvent): string {
    if (event.type === 'text_delta') return this.#add(event.text);
    if (event.type === 'text_reset') this.#toRepeat = this.#sent.slice(this.#from);
    if (event.type === 'text_end') this.#close();
    return '';
  }

  /** What is left to send when the turn is over: an answer that did not come as a stream. */
  finish({ finalResponse }: TurnResult): string {
    this.#close();
    const answer = finalResponse ?? '';
    return answer === '' || this.#last.trim() === answer.trim() ? '' : this.#add(answer);
  }

  #close(): void {
    const said = this.#sent.slice(this.#from);
    if (said !== '') this.#last = said;
    this.#from = this.#sent.length;
    this.#toRepeat = '';
  }

  #add(text: string): string {
    const expected = this.#toRepeat;
    if (expected.startsWith(text)) {
      this.#toRepeat = expected.slice(text.length);
      return '';
    }
    this.#toRepeat = '';
    if (text.startsWith(expected)) return this.#send(text.slice(expected.length));
    // It says something else than what was sent: all of it stands again, below.
    const repeated = this.#sent.slice(this.#from, this.#sent.length - expected.length);
    this.#from = this.#sent.length;
    return this.#send(repeated + text);
  }

  #send(text: string): string {
    const begins = this.#from === this.#sent.length && this.#sent !== '';
    const piece = begins ? `\n\n${text}` : text;
    if (begins) this.#from += 2;
    this.#sent += piece;
    return piece;
  }
}
