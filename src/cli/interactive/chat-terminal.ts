/** The terminal under the chat: repaints without erasing what scrolled away, and falls silent once it is gone. */
import { ProcessTerminal } from '@earendil-works/pi-tui';
import { type Place, withoutLetters } from './reflow.ts';

/** How the library begins and ends a redraw of everything; it would erase the user's whole scrollback. */
const redrawStart = '\u001b[?2026h\u001b[2J\u001b[H\u001b[3J';
const redrawEnd = '\u001b[?2026l';
/** A window that is being dragged changes its size many times: it is drawn anew once it has kept it so long. In milliseconds. */
const settledAfterMs = 80;
/** Asks for the place of the cursor, and how terminals answer (ECMA-48, CPR). */
const askCursor = '\u001b[6n';
const cursorReport = /^\u001b\[(\d{1,4});\d{1,4}R$/;
/** A terminal that does not answer in this time never will, in milliseconds. */
const answerMs = 250;

export class ChatTerminal extends ProcessTerminal {
  /** How many lines have scrolled off the screen; `undefined` when that is not known, as after a change of size. */
  scrolledLines: () => number | undefined = () => undefined;
  /** The paste that is being handed on was not marked as one by the terminal. */
  guessedPaste = false;
  readonly #pasteLineBreaks: number;
  #stopGuessing: () => void = () => undefined;
  #gone = false;
  /** Where the next redraw of everything goes; `undefined`: over the whole screen. */
  place: Place | undefined;
  /** The window has another size and is still. `cursorRow` is the row of the cursor, from 0, where the terminal told it. */
  onSettled: (cursorRow: number | undefined) => void = () => undefined;
  #changing: NodeJS.Timeout | undefined;
  #asked = false;

  /** From so many line breaks on what comes at once is a paste, even where the terminal does not say so; 0 = never. */
  constructor(pasteLineBreaks = 0) {
    super();
    this.#pasteLineBreaks = pasteLineBreaks;
  }

  /** True from the first change of the window until it is still and the terminal has told where the cursor is. */
  get changing(): boolean {
    return this.#changing !== undefined;
  }

  /** Draws what is there although the window may still change. */
  settle(): void {
    clearTimeout(this.#changing);
    this.#changing = undefined;
    this.#asked = false;
  }

  /** What is drawn for one size while the window has another already overwrites lines, so `onSettled` waits until it is still. */
  override start(onInput: (data: string) => void): void {
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
        const row = this.#asked ? cursorReport.exec(data)?.[1] : undefined;
        if (row !== undefined) this.#settled(Number(row) - 1);
        else if (!swallow) onInput(data);
      },
      () => this.#change(),
    );
    process.stdin.on('data', after);
    this.#stopGuessing = () => {
      process.stdin.off('data', before);
      process.stdin.off('data', after);
    };
  }

  #change(): void {
    this.settle();
    this.#changing = setTimeout(() => {
      this.#asked = true;
      super.write(askCursor);
      this.#changing = setTimeout(() => this.#settled(undefined), answerMs);
    }, settledAfterMs);
  }

  #settled(cursorRow: number | undefined): void {
    this.settle();
    if (!this.#gone) this.onSettled(cursorRow);
  }

  /** From now on nothing is written or read: there is no terminal any more. */
  abandon(): void {
    this.#gone = true;
  }

  override write(data: string): void {
    if (this.#gone) return;
    if (!data.startsWith(redrawStart)) return super.write(data);
    super.write(
      this.place === undefined ? repaint(data, this.rows, this.scrolledLines()) : redraw(data, this.place, this.rows),
    );
  }

  override hideCursor(): void {
    if (!this.#gone) super.hideCursor();
  }

  override showCursor(): void {
    if (!this.#gone) super.showCursor();
  }

  override stop(): void {
    this.settle();
    this.#stopGuessing();
    if (!this.#gone) super.stop();
  }
}

/**
 * A redraw of everything as one of the visible part: lines that scrolled away stay as they were written. Lines are
 * cleared one by one because some terminals, tmux among them, push a screen that is cleared as a whole into the scrollback.
 */
export function repaint(data: string, rows: number, scrolledLines: number | undefined): string {
  const { lines } = linesOf(data);
  const fits = Math.max(0, lines.length - rows);
  return redraw(data, { firstLine: Math.min(scrolledLines ?? fits, fits), lettersGone: 0, row: 0 }, rows);
}

/** The lines from one on, in their place on the screen; what does not fit below scrolls away. */
function redraw(data: string, { firstLine, lettersGone, row }: Omit<Place, 'kept'>, rows: number): string {
  const { lines, whole } = linesOf(data);
  const visible = withoutLetters(lines.slice(firstLine), lettersGone);
  const painted = visible.map((line) => `\u001b[2K${line}`).join('\r\n');
  const below = row + visible.length < rows ? '\r\n\u001b[J\u001b[A' : '';
  return `\u001b[?2026h\u001b[${row + 1};1H${painted}${below}${whole ? redrawEnd : ''}`;
}

function linesOf(data: string): { readonly lines: readonly string[]; readonly whole: boolean } {
  const whole = data.endsWith(redrawEnd);
  return { lines: data.slice(redrawStart.length, whole ? -redrawEnd.length : undefined).split('\r\n'), whole };
}
