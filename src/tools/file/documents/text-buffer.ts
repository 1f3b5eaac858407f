/** Collects the text of a document up to a bound. */

/** More than this is never shown, whatever a document holds. */
const maxChars = 20_000_000;

export class TextBuffer {
  readonly #lines: string[] = [];
  #left = maxChars;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  add(line: string): void {
    if (this.isFull) return;
    this.#lines.push(line.slice(0, this.#left));
    this.#left -= line.length + 1;
    if (this.isFull) this.#lines.push('[The document goes on; its text is too long to take out.]');
  }

  /** Without empty lines at its ends. */
  toString(): string {
    return this.#lines.join('\n').replace(/^\n+|\s+$/g, '');
  }
}
