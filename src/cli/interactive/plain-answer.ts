/** An answer that is written line by line, each when it is whole. */
import { MarkdownStripper } from '../render/strip-markdown.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { Output } from './chat-screen.ts';

export class PlainAnswer {
  readonly #output: Pick<Output, 'print' | 'gap'>;
  readonly #asItIs: boolean;
  readonly #begin: () => void;
  #strip = new MarkdownStripper();
  #pending = '';
  #begun = false;

  /** `begin` is called before the first line of each text. `asItIs` leaves marks of Markdown where they are. */
  constructor(output: Pick<Output, 'print' | 'gap'>, asItIs: boolean, begin: () => void) {
    this.#output = output;
    this.#asItIs = asItIs;
    this.#begin = begin;
  }

  add(text: string): void {
    const lines = (this.#pending + text).split('\n');
    this.#pending = lines.pop() ?? '';
    for (const line of lines) this.#write(line);
  }

  end(): void {
    if (this.#pending !== '') this.#write(this.#pending);
    this.#forget();
  }

  /** What was read out cannot be taken back. */
  reset(): void {
    if (this.#begun) this.#output.print('(The answer begins anew.)');
    this.#forget();
  }

  #write(line: string): void {
    const shown = this.#asItIs ? line : this.#strip.line(line);
    if (shown === undefined) return;
    if (!this.#begun) this.#begin();
    this.#begun = true;
    if (shown.trim() === '') this.#output.gap();
    else this.#output.print(terminalText(shown));
  }

  #forget(): void {
    this.#pending = '';
    this.#begun = false;
    this.#strip = new MarkdownStripper();
  }
}
