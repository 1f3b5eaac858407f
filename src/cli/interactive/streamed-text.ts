/** Draws text while it arrives, no more often than the machine can bear. */
import { terminalText } from '../render/terminal-text.ts';
import type { LiveText, Piece } from './live-text.ts';
import { type OpenFence, stablePart } from './stable-markdown.ts';

/** Redraws are at least this far apart, in milliseconds … */
const drawEveryMs = 33;
/** … and take at most one part in so many of the time. */
const idleShare = 8;

export interface StreamedText {
  add(text: string): void;
  /** Draws what is left and starts over with the next `add`. */
  end(): void;
  /** Takes everything since the last `end` off the screen. */
  reset(): void;
}

/** `open` puts a piece of a text on the screen; `between` separates it from the one before. */
export function streamedText(
  open: (piece: Piece) => LiveText,
  between: () => void,
  now: () => number = () => performance.now(),
): StreamedText {
  let pending = '';
  /** The code block that `pending` begins in. */
  let fence: OpenFence | undefined;
  let tail: LiveText | undefined;
  let shown: LiveText[] = [];
  let timer: NodeJS.Timeout | undefined;
  let waitMs = drawEveryMs;

  function draw(): void {
    timer = undefined;
    const began = now();
    const stable = stablePart(pending, fence);
    if (stable.length > 0) {
      const part = pending.slice(0, stable.length);
      // Opened anew rather than changed, because only now it is known how it ends.
      takeBackTail();
      place(stable.fence === undefined ? part.trimEnd() : part, stable.fence);
      tail = undefined;
      pending = pending.slice(stable.length);
      fence = stable.fence;
    }
    if (pending.trim() !== '') place(pending, undefined);
    waitMs = Math.max(drawEveryMs, (now() - began) * idleShare);
  }

  function place(text: string, cutThrough: OpenFence | undefined): void {
    const continued = fence !== undefined;
    const before = fence === undefined ? '' : `${fence.line}\n`;
    const safe = terminalText(`${before}${text}${cutThrough?.mark ?? ''}`);
    if (tail !== undefined) {
      tail.set(safe);
      return;
    }
    if (shown.length > 0 && !continued) between();
    tail = open({ text: safe, continued, unfinished: cutThrough !== undefined });
    shown.push(tail);
  }

  function takeBackTail(): void {
    tail?.remove();
    shown = shown.filter((live) => live !== tail);
    tail = undefined;
  }

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
    pending = '';
    fence = undefined;
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
