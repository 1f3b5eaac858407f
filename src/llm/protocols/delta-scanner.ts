/**
 * Reads runs of stream events that fit a template straight from their bytes. Decoding, splitting and parsing each of
 * them would fill the young heap with short-lived strings, which is what a long answer costs most. The loops are
 * plain ones over bytes: around calls of `Buffer` methods V8 builds optimized code that takes megabytes to compile.
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
const nothing = new Uint8Array();

export class DeltaScanner {
  /** The line up to and with the quote that opens the text, with the space that most servers write, and without. */
  #spaced: Uint8Array = nothing;
  #unspaced: Uint8Array = nothing;
  /** The quote that closes the text, the rest of the line, and the blank line. */
  #tail: Uint8Array = nothing;
  #before = '';
  #after = '';
  /** Where the texts of a run are put together. */
  #texts = Buffer.alloc(0);

  /** Reads by this template from now on. One that spans lines is not for bytes. */
  learn({ before, after }: DeltaTemplate): void {
    if (before === this.#before && after === this.#after) return;
    if (/[\r\n]/.test(before + after)) return;
    this.#before = before;
    this.#after = after;
    this.#spaced = Buffer.from(`data: ${before}`);
    this.#unspaced = Buffer.from(`data:${before}`);
    this.#tail = Buffer.from(`${after}\n\n`);
  }

  /** Reads on from `start`, which must be the start of an event, as long as whole events fit the template. */
  scan(bytes: Uint8Array, start: number): ScannedDeltas {
    let count = 0;
    let end = start;
    if (this.#tail.length === 0) return { text: '', count, end };
    if (this.#texts.length < bytes.length) this.#texts = Buffer.allocUnsafeSlow(bytes.length);
    let length = 0;
    for (;;) {
      const from = behind(this.#spaced, bytes, end) || behind(this.#unspaced, bytes, end);
      if (from === 0 || isContinuation(bytes[from])) break;
      const to = from + copyPlain(bytes, from, this.#texts, length);
      const next = behind(this.#tail, bytes, to);
      if (next === 0) break;
      length += to - from;
      count += 1;
      end = next;
    }
    return { text: count === 0 ? '' : this.#texts.toString('utf8', 0, length), count, end };
  }
}

/** Where `part` ends in the bytes if it stands at `at`, and 0 if it does not. */
function behind(part: Uint8Array, bytes: Uint8Array, at: number): number {
  if (at + part.length > bytes.length) return 0;
  for (let index = 0; index < part.length; index += 1) {
    if (bytes[at + index] !== part[index]) return 0;
  }
  return at + part.length;
}

/** Inside a character. Without this check, halves of one from two events would be joined, unlike in the parser. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

/** Copies up to the first quote, escape or control character: until there, the JSON string is the text. */
function copyPlain(bytes: Uint8Array, from: number, target: Uint8Array, start: number): number {
  let length = 0;
  for (; from + length < bytes.length; length += 1) {
    const byte = bytes[from + length] ?? 0;
    if (byte < 0x20 || byte === quote || byte === backslash) break;
    target[start + length] = byte;
  }
  return length;
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
