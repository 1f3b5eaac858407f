/** The terminal under the chat: repaints without erasing what scrolled away, and falls silent once it is gone. */
import { ProcessTerminal } from '@earendil-works/pi-tui';

/** How the library begins and ends a redraw of everything; it would erase the user's whole scrollback. */
const redrawStart = '\u001b[?2026h\u001b[2J\u001b[H\u001b[3J';
const redrawEnd = '\u001b[?2026l';
/** A window that is being dragged changes its size many times: it is drawn anew once it has kept it so long. In milliseconds. */
const settledAfterMs = 80;

export class ChatTerminal extends ProcessTerminal {
  /** How many lines have scrolled off the screen; `undefined` when that is not known, as after a change of size. */
  scrolledLines: () => number | undefined = () => undefined;
  /** The paste that is being handed on was not marked as one by the terminal. */
  guessedPaste = false;
  readonly #pasteLineBreaks: number;
  #stopGuessing: () => void = () => undefined;
  #gone = false;
  #settling: NodeJS.Timeout | undefined;

  /** From so many line breaks on what comes at once is a paste, even where the terminal does not say so; 0 = never. */
  constructor(pasteLineBreaks = 0) {
    super();
    this.#pasteLineBreaks = pasteLineBreaks;
  }

  /** What is drawn for one size while the window has another already overwrites lines: `onResize` waits until it is still. */
  override start(onInput: (data: string) => void, onResize: () => void): void {
    this.#stopGuessing();
    let swallow = false;
    const before = (chunk: string): void => {
      const text = chunk.replace(/\r\n?/g, '\n');
      const breaks = text.replace(/\n+$/, '').split('\n').length - 1;
      if (this.#pasteLineBreaks === 0 || breaks < this.#pasteLineBreaks || chunk.includes('\u001b')) return;
      swallow = true;
      this.guessedPaste = true;
      onInput(`\u001b[200~${text}\u001b[201~`);
      this.guessedPaste = false;
    };
    const after = (): void => {
      swallow = false;
    };
    // The library's own listener stands between the two and takes the same text key by key.
    process.stdin.prependListener('data', before);
    super.start(
      (data) => {
        if (!swallow) onInput(data);
      },
      () => {
        clearTimeout(this.#settling);
        this.#settling = setTimeout(onResize, settledAfterMs);
      },
    );
    process.stdin.on('data', after);
    this.#stopGuessing = () => {
      process.stdin.off('data', before);
      process.stdin.off('data', after);
    };
  }

  /** From now on nothing is written or read: there is no terminal any more. */
  abandon(): void {
    this.#gone = true;
  }

  override write(data: string): void {
    if (this.#gone) return;
    super.write(data.startsWith(redrawStart) ? repaint(data, this.rows, this.scrolledLines()) : data);
  }

  override hideCursor(): void {
    if (!this.#gone) super.hideCursor();
  }

  override showCursor(): void {
    if (!this.#gone) super.showCursor();
  }

  override stop(): void {
    clearTimeout(this.#settling);
    this.#stopGuessing();
    if (!this.#gone) super.stop();
  }
}

/**
 * A redraw of everything as one of the visible part: lines that scrolled away stay as they were written. Lines are
 * cleared one by one because some terminals, tmux among them, push a screen that is cleared as a whole into the scrollback.
 */
export function repaint(data: string, rows: number, scrolledLines: number | undefined): string {
  const whole = data.endsWith(redrawEnd);
  const lines = data.slice(redrawStart.length, whole ? -redrawEnd.length : undefined).split('\r\n');
  const fits = Math.max(0, lines.length - rows);
  const visible = lines.slice(Math.min(scrolledLines ?? fits, fits));
  const below = visible.length < rows ? '\r\n\u001b[J\u001b[A' : '';
  const painted = visible.map((line) => `\u001b[2K${line}`).join('\r\n');
  return `\u001b[?2026h\u001b[H${painted}${below}${whole ? redrawEnd : ''}`;
}
