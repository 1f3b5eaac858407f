/** The library's screen, which goes on where it was when the window gets another size. */
import { type Container, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui';
import type { ChatTerminal } from './chat-terminal.ts';
import { lettersOf, placeAfterResize, withoutLetters } from './reflow.ts';

/** How the cursor is drawn in the input box: reversed. */
const cursorMark = '\u001b[7m';

export class ChatTui extends TuiMainScreen {
  readonly #terminal: ChatTerminal;
  readonly #transcript: Container;
  readonly #reflows: boolean;
  /** Lines as they were written for an earlier width, and what of the known ones comes behind them. */
  #earlier: { readonly lines: readonly string[]; readonly firstLine: number; readonly lettersGone: number } = {
    lines: [],
    firstLine: 0,
    lettersGone: 0,
  };

  /** `reflows`: the terminal breaks its lines anew when it gets narrower. `transcript` is the first part of the screen. */
  constructor(terminal: ChatTerminal, transcript: Container, reflows: boolean) {
    super(terminal, true);
    this.#terminal = terminal;
    this.#transcript = transcript;
    this.#reflows = reflows;
    terminal.onSettled = (cursorRow) => this.#goOn(cursorRow);
  }

  /** The first lines of the screen, which have scrolled away, are not known any more. */
  forget(lines: readonly string[]): void {
    const { lines: earlier, firstLine, lettersGone } = this.#earlier;
    const left = firstLine - lines.length;
    this.#earlier =
      left < 0
        ? { lines: [], firstLine: 0, lettersGone: 0 }
        : { lines: withoutLetters(earlier, lettersOf(lines).length), firstLine: left, lettersGone };
  }

  /** While the window changes nothing is drawn: it would be in the wrong place. */
  protected override doRender(): void {
    if (!this.#terminal.changing) super.doRender();
  }

  /** Draws what is not above the screen, and knows from then on what is. */
  #goOn(cursorRow: number | undefined): void {
    const drawn = this.captureRenderState();
    if (drawn.previousLines.length === 0) return this.requestRender();
    // As if it had another width, whichever it had: everything is drawn.
    this.restoreRenderState({ ...drawn, previousWidth: -1 });
    if (cursorRow === undefined) return this.requestRender();
    const { columns, rows } = this.#terminal;
    const { lines: earlier, firstLine, lettersGone } = this.#earlier;
    const written = [...earlier, ...withoutLetters(drawn.previousLines.slice(firstLine), lettersGone)];
    const line = drawn.previousLines[drawn.hardwareCursorRow] ?? '';
    const mark = line.indexOf(cursorMark);
    const place = placeAfterResize(
      {
        lines: written,
        cursorLine: drawn.hardwareCursorRow + written.length - drawn.previousLines.length,
        cursorColumn: mark === -1 ? 0 : visibleWidth(line.slice(0, mark)),
      },
      { columns, cursorRow, reflows: this.#reflows },
      this.#transcript.children.map((block) => ({
        before: [...block.render(drawn.previousWidth)],
        after: [...block.render(columns)],
      })),
    );
    this.#terminal.place = place;
    this.renderNow();
    this.#terminal.place = undefined;
    const now = this.captureRenderState();
    const below = now.previousLines.length - place.firstLine;
    const overflow = Math.max(0, place.row + below - rows);
    this.restoreRenderState({ ...now, previousViewportTop: Math.max(0, place.firstLine - place.row + overflow) });
    this.#earlier = { ...place, lines: written.slice(0, place.kept) };
  }
}
