/** Draws text while it arrives, no more often than the machine can bear. */
import { terminalText } from '../render/terminal-text.ts';
import type { LiveText } from './screen.ts';
import { stableLength } from './stable-markdown.ts';

/** Redraws are at least this far apart, in milliseconds … */
const drawEveryMs = 33;
/** … and take at most one part in so many of the time. A long block of code is drawn anew as a whole. */
const idleShare = 8;

export interface StreamedText {
  add(text: string): void;
  /** Draws what is left and starts over with the next `add`. */
  end(): void;
  /** Takes everything since the last `end` off the screen. */
  reset(): void;
}

/** `open` puts a piece of text on the screen; `between` separates two pieces of one text. */
export function streamedText(open: (text: string) => LiveText, between: () => void): StreamedText {
  let pending = '';
  let tail: LiveText | undefined;
  let shown: LiveText[] = [];
  let timer: NodeJS.Timeout | undefined;
  let waitMs = drawEveryMs;

  function draw(): void {
    timer = undefined;
    const began = performance.now();
    const stable = stableLength(pending);
    if (stable > 0) {
      place(pending.slice(0, stable).trimEnd());
      tail = undefined;
      pending = pending.slice(stable);
    }
    if (pending.trim() !== '') place(pending);
    waitMs = Math.max(drawEveryMs, (performance.now() - began) * idleShare);
  }

  function place(text: string): void {
    const safe = terminalText(text);
    if (tail === undefined) {
      if (shown.length > 0) between();
      tail = open(safe);
      shown.push(tail);
    } else tail.set(safe);
  }

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
    pending = '';
    tail = undefined;
    shown = [];
    waitMs = drawEveryMs;
  }

  return {
    add(text) {
      pending += text;
      timer ??= setTimeout(draw, waitMs);
    },
    end() {
      if (timer !== undefined) {
        clearTimeout(timer);
        draw();
      }
      forget();
    },
    reset() {
      for (const live of shown) live.remove();
      forget();
    },
  };
}
