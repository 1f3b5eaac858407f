/** Looks for words in the lines of a running process, without letting a noisy one flood anybody. */
import { stripAnsi } from '../lib/ansi.ts';

export interface PatternMatch {
  /** The lines of this burst that matched, at most ten. */
  readonly lines: readonly string[];
  /** Matching lines since the last match that was reported. */
  readonly suppressed: number;
  /** The watch has been too busy and is off from now on. */
  readonly disabled: boolean;
}

const quietMs = 15_000;
const maxStrikes = 3;
const maxLineChars = 4096;
const maxLines = 10;

/** A line matches when it contains one of the patterns, letter for letter: no pattern can be slow. */
export class PatternWatch {
  readonly #patterns: readonly string[];
  #unfinished = '';
  #lastTold = Number.NEGATIVE_INFINITY;
  #suppressed = 0;
  #strikes = 0;
  #disabled: boolean;
  #told = false;

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.filter((pattern) => pattern !== '');
    this.#disabled = this.#patterns.length === 0;
  }

  /** What is looked for; undefined when nothing is, or no longer. */
  get patterns(): readonly string[] | undefined {
    return this.#disabled ? undefined : this.#patterns;
  }

  /** Whether a match was reported. */
  get hasTold(): boolean {
    return this.#told;
  }

  /**
   * Takes output and says what should be reported now: at most one match in 15 seconds. When matches had to be held back
   * three times in a row, the watch turns itself off.
   * @param now milliseconds of a clock that never goes back
   */
  push(chunk: string, now: number): PatternMatch | undefined {
    if (this.#disabled) return undefined;
    const lines = (this.#unfinished + chunk).split('\n');
    const rest = lines.pop() ?? '';
    this.#unfinished = rest.length > maxLineChars ? '' : rest;
    if (this.#unfinished !== rest) lines.push(rest);
    const found = lines.map((line) => stripAnsi(line)).filter((line) => this.#matches(line));
    if (found.length === 0) return undefined;
    if (now - this.#lastTold < quietMs) {
      this.#suppressed += found.length;
      return undefined;
    }
    this.#strikes = this.#suppressed > 0 ? this.#strikes + 1 : 0;
    this.#disabled = this.#strikes >= maxStrikes;
    const match = { lines: found.slice(0, maxLines), suppressed: this.#suppressed, disabled: this.#disabled };
    this.#lastTold = now;
    this.#told = true;
    this.#suppressed = 0;
    return match;
  }

  #matches(line: string): boolean {
    return this.#patterns.some((pattern) => line.includes(pattern));
  }
}
