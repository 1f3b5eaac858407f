/**
 * Reads runs of stream events that fit a template straight from their bytes. Decoding, splitting and parsing each of
 * them would fill the young heap with short-lived strings, which is what a long answer costs most.
 */
import type { DeltaTemplate } from './delta-template.ts';

export interface ScannedDeltas {
  /** Texts of the events, joined. */
  readonly text: string;
  /** How many events they were. */
  readonly count: number;
  /** Where the first byte stands that was not read; always the start of an event. */
  readonly end: number;
}

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
/** With the space that most servers write, and without. */
const fields = ['data: ', 'data:'] as const;

export class DeltaScanner {
  /** The line up to and with the quote that opens the text, in both spellings of the field. */
  #heads: readonly Buffer[] = [];
  /** The quote that closes the text, and the rest of the line. */
  #tail = Buffer.alloc(0);
  #before = '';
  #after = '';

  /** Reads by this template from now on. One that spans lines is not for bytes. */
  learn({ before, after }: DeltaTemplate): void {
    if (before === this.#before && after === this.#after) return;
    if (/[\r\n]/.test(before + after)) return;
    this.#before = before;
    this.#after = after;
    this.#heads = fields.map((field) => Buffer.from(field + before));
    this.#tail = Buffer.from(after);
  }

  /** Reads on from `start`, which must be the start of an event, as long as whole events fit the template. */
  scan(bytes: Buffer, start: number): ScannedDeltas {
    let text = '';
    let count = 0;
    let end = start;
    for (;;) {
      const from = this.#textStart(bytes, end);
      const lineEnd = from === -1 ? -1 : bytes.indexOf(newline, from);
      if (lineEnd === -1 || bytes[lineEnd + 1] !== newline) break;
      const to = lineEnd - this.#tail.length;
      if (to < from || this.#tail.compare(bytes, to, lineEnd) !== 0 || !isPlain(bytes, from, to)) break;
      text += bytes.toString('utf8', from, to);
      count += 1;
      end = lineEnd + 2;
    }
    return { text, count, end };
  }

  #textStart(bytes: Buffer, at: number): number {
    for (const head of this.#heads) {
      const from = at + head.length;
      if (from <= bytes.length && head.compare(bytes, at, from) === 0) return from;
    }
    return -1;
  }
}

/** No quote, escape or control character: the bytes of the JSON string are the text. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte === quote || byte === backslash) return false;
  }
  return true;
}

/** The end of the first event that ends at or after `from`; the end of the bytes when none does. */
export function eventEnd(bytes: Buffer, from: number): number {
  const blank = bytes.indexOf('\n\n', from);
  return blank === -1 ? bytes.length : blank + 2;
}

/** True when a blank line stands right before `end`. */
export function endsEvent(bytes: Buffer, end: number): boolean {
  return end >= 2 && bytes[end - 1] === newline && bytes[end - 2] === newline;
}
