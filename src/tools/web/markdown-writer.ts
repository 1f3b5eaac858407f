/** Writes Markdown piece by piece: where lines begin and end, and what stands at their beginning. */

/** What stands before the lines of a list item or a quotation: its first line, and the others. */
interface Prefix {
  readonly first: string;
  readonly rest: string;
  isUsed: boolean;
}

export class MarkdownWriter {
  readonly #parts: string[] = [];
  readonly #prefixes: Prefix[] = [];
  /** Marks that stand directly before the next text, and nowhere when there is none. */
  readonly #marks: string[] = [];
  #gap: 0 | 1 | 2 = 0;
  #hasSpace = false;
  #isEmpty = true;
  /** More than 0: line breaks are spaces, as in a heading. */
  #inLine = 0;

  /** White space counts as one space, and as none at the edge of a line. */
  text(text: string): void {
    if (text === '') return;
    const words = text.trim();
    if (words === '' || isSpace(text.charCodeAt(0))) this.#hasSpace = true;
    if (words === '') return;
    this.#begin();
    // Most texts are one line with single spaces already.
    this.#parts.push(/[\t\r\n\f]| {2}/.test(words) ? words.replace(/[ \t\r\n\f]+/g, ' ') : words);
    this.#hasSpace = isSpace(text.charCodeAt(text.length - 1));
  }

  /** As it is, and without a space before it unless there was one. */
  raw(text: string): void {
    this.#begin();
    this.#parts.push(text);
  }

  /** Whole lines as they are, between empty ones. */
  lines(lines: readonly string[]): void {
    this.gap(2);
    for (const line of lines) {
      this.#begin();
      this.#parts.push(line);
      this.#gap = 1;
      this.#hasSpace = false;
    }
    this.gap(2);
  }

  /** Returns what `unmark` wants: a mark around no text leaves no trace. */
  mark(mark: string): number {
    this.#marks.push(mark);
    return this.#marks.length;
  }

  unmark(place: number, end: string): void {
    if (this.#marks.length >= place) this.#marks.length = place - 1;
    // Before the space that may follow.
    else this.#parts.push(end);
  }

  /** What follows begins a line: 1 the next one, 2 behind an empty one. */
  gap(size: 1 | 2): void {
    if (this.#inLine > 0) this.#hasSpace = true;
    else if (size > this.#gap) this.#gap = size;
  }

  inLine(write: () => void): void {
    this.#inLine += 1;
    write();
    this.#inLine -= 1;
  }

  get isInLine(): boolean {
    return this.#inLine > 0;
  }

  /** What is written meanwhile stands behind a prefix. */
  within(first: string, rest: string, write: () => void): void {
    this.#prefixes.push({ first, rest, isUsed: false });
    write();
    this.#prefixes.pop();
  }

  toString(): string {
    return this.#parts.join('');
  }

  #begin(): void {
    if (this.#isEmpty || this.#gap > 0) this.#newLine();
    else if (this.#hasSpace) this.#parts.push(' ');
    this.#hasSpace = false;
    this.#isEmpty = false;
    if (this.#marks.length > 0) this.#parts.push(...this.#marks.splice(0));
  }

  #newLine(): void {
    if (!this.#isEmpty) {
      const bare = this.#prefixes
        .map(({ rest, first, isUsed }) => (isUsed || !first.startsWith('>') ? rest : ''))
        .join('');
      this.#parts.push(this.#gap === 2 ? `\n${bare.trimEnd()}\n` : '\n');
    }
    for (const prefix of this.#prefixes) {
      this.#parts.push(prefix.isUsed ? prefix.rest : prefix.first);
      prefix.isUsed = true;
    }
    this.#gap = 0;
  }
}

/** In a page; a space that must not break counts as a character of the text. */
function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
