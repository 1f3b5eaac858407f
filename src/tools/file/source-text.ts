/** A file's text with one kind of line ending for matching, and the way back to its own. */

/** A replacement of a half-open range of `SourceText.text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Hides a byte order mark and writes CRLF as `\n`. Edits are made on that text; everything they do not touch keeps
 * its bytes, and what they insert gets the line ending used around it.
 */
export class SourceText {
  /** Without byte order mark; line ends are `\n`. */
  readonly text: string;
  readonly hasCrlf: boolean;
  readonly #raw: string;
  readonly #offset: number;
  /** Places in `text` of the newlines that lost a carriage return, ascending. */
  readonly #crlfAt: readonly number[];
  readonly #mostlyCrlf: boolean;

  constructor(raw: string) {
    this.#raw = raw;
    this.#offset = raw.startsWith('\uFEFF') ? 1 : 0;
    const body = raw.slice(this.#offset);
    this.hasCrlf = body.includes('\r\n');
    this.text = this.hasCrlf ? body.replaceAll('\r\n', '\n') : body;
    this.#crlfAt = this.hasCrlf ? crlfPlaces(body) : [];
    this.#mostlyCrlf = this.hasCrlf && this.#crlfAt.length * 2 >= this.text.split('\n').length - 1;
  }

  /** The whole file with the edits made; they must not overlap. */
  apply(edits: readonly Edit[]): string {
    const pieces: string[] = [];
    let done = 0;
    for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
      const start = this.#toRaw(edit.start);
      const end = this.#toRaw(edit.end);
      pieces.push(this.#raw.slice(done, start), this.#withLineEnds(edit.text, start, end));
      done = end;
    }
    return pieces.join('') + this.#raw.slice(done);
  }

  #toRaw(position: number): number {
    return this.#offset + position + countBelow(this.#crlfAt, position);
  }

  #withLineEnds(text: string, start: number, end: number): string {
    if (!this.hasCrlf) return text;
    const unified = text.replaceAll('\r\n', '\n');
    return this.#usesCrlf(this.#raw.slice(start, end)) ? unified.replaceAll('\n', '\r\n') : unified;
  }

  /** As the replaced text did, or else as most of the file does. */
  #usesCrlf(replaced: string): boolean {
    const newline = replaced.indexOf('\n');
    return newline === -1 ? this.#mostlyCrlf : replaced[newline - 1] === '\r';
  }
}

function crlfPlaces(body: string): number[] {
  const places: number[] = [];
  for (let at = body.indexOf('\r\n'); at !== -1; at = body.indexOf('\r\n', at + 2)) places.push(at - places.length);
  return places;
}

/** How many of the ascending values are below the limit. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
