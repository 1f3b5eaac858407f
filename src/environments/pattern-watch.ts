/** Looks for words in the lines of a running process, without letting a noisy one flood anybody. */
import { stripAnsi } from '../lib/ansi.ts';

/** What is to be told of a watch. */
export type WatchNews =
  | {
      readonly kind: 'match';
      /** The first pattern that was found. */
      readonly pattern: string;
      /** The lines of this burst that matched, at most twenty. */
      readonly lines: readonly string[];
      /** Matching lines since the last match that was reported. */
      readonly suppressed: number;
    }
  /** It matched too often, and is off from now on. */
  | { readonly kind: 'disabled' };

const quietMs = 15_000;
const maxStrikes = 3;
const maxLineChars = 4096;
const maxLines = 20;

/** A line matches when it contains one of the patterns, letter for letter: no pattern can be slow. */
export class PatternWatch {
  readonly #patterns: readonly string[];
  #unfinished = '';
  #lastTold = Number.NEGATIVE_INFINITY;
  #suppressed = 0;
  /** Pauses in a row in which something had to be held back. */
  #strikes = 0;
  #struck = false;
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

  /** The last line has begun and not ended, as a question to somebody at the keyboard does. */
  get isInsideLine(): boolean {
    return !this.#disabled && this.#unfinished !== '';
  }

  /**
   * Takes output and says what should be reported now: at most one match in 15 seconds. When matches had to be held back
   * in three pauses in a row, the watch turns itself off.
   * @param now milliseconds of a clock that never goes back
   */
  push(chunk: string, now: number): WatchNews | undefined {
    if (this.#disabled) return undefined;
    const lines = (this.#unfinished + chunk).split('\n');
    const rest = lines.pop() ?? '';
    this.#unfinished = rest.length > maxLineChars ? '' : rest;
    if (this.#unfinished !== rest) lines.push(rest);
    return this.#look(lines, now);
  }

  /** Looks at a line that does not go on; when it matches, what follows on it counts as another. */
  lookAtUnfinished(now: number): WatchNews | undefined {
    if (this.#disabled || this.#patternIn(stripAnsi(this.#unfinished)) === undefined) return undefined;
    const line = this.#unfinished;
    this.#unfinished = '';
    return this.#look([line], now);
  }

  #look(lines: readonly string[], now: number): WatchNews | undefined {
    const found = lines.map((line) => stripAnsi(line)).filter((line) => this.#patternIn(line) !== undefined);
    const pattern = this.#patternIn(found[0] ?? '');
    if (pattern === undefined) return undefined;
    if (now - this.#lastTold < quietMs) return this.#holdBack(found.length);
    if (!this.#struck) this.#strikes = 0;
    const suppressed = this.#suppressed;
    this.#struck = false;
    this.#suppressed = 0;
    this.#lastTold = now;
    this.#told = true;
    return { kind: 'match', pattern, lines: found.slice(0, maxLines), suppressed };
  }

  #holdBack(lines: number): WatchNews | undefined {
    this.#suppressed += lines;
    if (this.#struck) return undefined;
    this.#struck = true;
    this.#strikes++;
    this.#disabled = this.#strikes >= maxStrikes;
    return this.#disabled ? { kind: 'disabled' } : undefined;
  }

  #patternIn(line: string): string | undefined {
    return this.#patterns.find((pattern) => line.includes(pattern));
  }
}
