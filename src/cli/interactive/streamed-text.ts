/** Draws text while it arrives, no more often than the machine can bear. */
import { terminalText } from '../render/terminal-text.ts';
import type { LiveText, Piece } from './live-text.ts';
import { type OpenFence, stablePart, wholeLines } from './stable-markdown.ts';

/** Redraws are at least this far apart, in milliseconds … */
const drawEveryMs = 33;
/** … and take at most one part in so many of the time. */
const idleShare = 8;

export interface StreamedTextOptions {
  /** Puts a piece of a text on the screen. */
  open(piece: Piece): LiveText;
  /** Separates it from the one before. */
  between(): void;
  /** False: nothing is drawn before the text has ended. Default true. */
  readonly live?: boolean;
  /** True: the text is drawn as it stands, so that it can be cut behind any line. Default: it is Markdown. */
  readonly asItIs?: boolean;
  /** In milliseconds. */
  now?(): number;
}

export class StreamedText {
  readonly #options: StreamedTextOptions;
  #pending = '';
  /** The code block that `#pending` begins in. */
  #fence: OpenFence | undefined;
  /** `#pending` begins with the next item of a list. */
  #inList = false;
  #tail: LiveText | undefined;
  #shown: LiveText[] = [];
  #timer: NodeJS.Timeout | undefined;
  #waitMs = drawEveryMs;

  constructor(options: StreamedTextOptions) {
    this.#options = options;
  }

  add(text: string): void {
    this.#pending += text;
    if (this.#options.live !== false) this.#timer ??= setTimeout(() => this.#draw(), this.#waitMs);
  }

  /** Draws what is left and starts over with the next `add`. */
  end(): void {
    if (this.#timer !== undefined || (this.#options.live === false && this.#pending !== '')) {
      clearTimeout(this.#timer);
      this.#draw();
    }
    this.#forget();
  }

  /** Takes everything since the last `end` off the screen. */
  reset(): void {
    for (const live of this.#shown) live.remove();
    this.#forget();
  }

  #draw(): void {
    this.#timer = undefined;
    const began = this.#now();
    const { asItIs = false } = this.#options;
    const stable = asItIs ? wholeLines(this.#pending) : stablePart(this.#pending, this.#fence);
    if (stable.length > 0) {
      const part = this.#pending.slice(0, stable.length);
      // Opened anew rather than changed, because only now it is known how it ends.
      this.#takeBackTail();
      if (asItIs) this.#place(part.replace(/\n$/, ''), undefined);
      else this.#place(stable.fence === undefined ? part.trimEnd() : part, stable.fence);
      this.#tail = undefined;
      this.#pending = this.#pending.slice(stable.length);
      this.#fence = stable.fence;
      this.#inList = stable.betweenItems === true;
    }
    if (this.#pending.trim() !== '') this.#place(this.#pending, undefined);
    this.#waitMs = Math.max(drawEveryMs, (this.#now() - began) * idleShare);
  }

  #place(text: string, cutThrough: OpenFence | undefined): void {
    const continued = this.#fence !== undefined;
    const before = this.#fence === undefined ? '' : `${this.#fence.line}\n`;
    const safe = terminalText(`${before}${text}${cutThrough?.mark ?? ''}`);
    if (this.#tail !== undefined) {
      this.#tail.set(safe);
      return;
    }
    const goesOn = continued || this.#inList || this.#options.asItIs === true;
    if (this.#shown.length > 0 && !goesOn) this.#options.between();
    this.#tail = this.#options.open({ text: safe, continued });
    this.#shown.push(this.#tail);
  }

  #takeBackTail(): void {
    this.#tail?.remove();
    this.#shown = this.#shown.filter((live) => live !== this.#tail);
    this.#tail = undefined;
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = '';
    this.#fence = undefined;
    this.#inList = false;
    this.#tail = undefined;
    this.#shown = [];
    this.#waitMs = drawEveryMs;
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}
