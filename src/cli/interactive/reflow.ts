/** What a change of the window does to lines that were drawn before: which of them have left the screen, and where to go on. */
import { visibleWidth } from '@earendil-works/pi-tui';
import { stripAnsi } from '../../lib/ansi.ts';

/** What the terminal was given, from the first line that is still known. */
export interface WrittenLines {
  readonly lines: readonly string[];
  /** The line that the cursor is in, and its column there. */
  readonly cursorLine: number;
  readonly cursorColumn: number;
}

/** How the window looks now. */
export interface NewWindow {
  readonly columns: number;
  /** The row of the screen that the cursor is in, from 0; as the terminal told. */
  readonly cursorRow: number;
  /** The terminal breaks lines anew that are wider than the window; others cut them off. */
  readonly reflows: boolean;
}

/** A part of the conversation, drawn for the old width and for the new one. */
export interface RedrawnBlock {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Place {
  /** Written lines that stay: those above the screen, and one of which only the end is on it. */
  readonly kept: number;
  /** The first line that is to be drawn behind them. */
  readonly firstLine: number;
  /** Letters of that line that stand in a line which stays. */
  readonly lettersGone: number;
  /** The row of the screen that it belongs into: higher ones hold what stays, or what others wrote. */
  readonly row: number;
}

/** Where to go on drawing so that no line is lost and none stands there twice. */
export function placeAfterResize(written: WrittenLines, window: NewWindow, blocks: readonly RedrawnBlock[]): Place {
  const { lines, cursorLine, cursorColumn } = written;
  const { columns, cursorRow, reflows } = window;
  const heights = lines.slice(0, cursorLine).map((line) => (reflows ? rowCount(line, columns) : 1));
  const above = heights.reduce((sum, height) => sum + height, reflows ? Math.floor(cursorColumn / columns) : 0);
  let row = cursorRow - above;
  let kept = 0;
  // A line is drawn from its beginning or not at all: terminals remember which of their rows belong together.
  for (; row < 0 && kept < heights.length; kept += 1) row += heights[kept] ?? 0;
  return { kept, row: Math.max(0, row), ...lineBehind(lines.slice(0, kept), blocks) };
}

/** Lines are told by their letters, which mostly stay the same however they are broken. */
function lineBehind(
  kept: readonly string[],
  blocks: readonly RedrawnBlock[],
): Pick<Place, 'firstLine' | 'lettersGone'> {
  let gone = lettersOf(kept);
  let blanks = kept.length - 1 - kept.findLastIndex((line) => lettersOf([line]) !== '');
  let firstLine = 0;
  for (const { before, after } of blocks) {
    const own = lettersOf(before);
    if (own.length > gone.length || (gone === '' && before.length > blanks)) {
      const within = lettersIn(after, gone);
      return { firstLine: firstLine + within.lines, lettersGone: within.letters };
    }
    if (gone === '') blanks -= before.length;
    gone = gone.slice(own.length);
    firstLine += after.length;
  }
  return { firstLine, lettersGone: 0 };
}

/** How many lines, and how many letters of the next one, a text takes up that they begin with. */
function lettersIn(lines: readonly string[], text: string): { lines: number; letters: number } {
  let left = text;
  for (const [at, line] of lines.entries()) {
    const own = lettersOf([line]);
    // Where the letters are others, as in a table of another shape, a line is better shown twice than cut.
    if (left === '' || own.length > left.length) return { lines: at, letters: own.startsWith(left) ? left.length : 0 };
    left = left.slice(own.length);
  }
  return { lines: lines.length, letters: 0 };
}

/** The lines without their first letters, the last of them cut in its colours. */
export function withoutLetters(lines: readonly string[], count: number): string[] {
  let left = count;
  const whole = lines.findIndex((line) => {
    const own = lettersOf([line]).length;
    if (own > left || left === 0) return true;
    left -= own;
    return false;
  });
  const [first, ...others] = whole === -1 ? [] : lines.slice(whole);
  return first === undefined ? [] : [cutLetters(first, left), ...others];
}

function cutLetters(line: string, count: number): string {
  if (count === 0) return line;
  let left = count;
  let begun = false;
  const kept = Array.from(line.matchAll(colourOrUnit), ([part]) => {
    if (part.length > 1) return part;
    begun ||= left === 0 && part.trim() !== '';
    if (!begun && part.trim() !== '') left -= 1;
    return begun ? part : '';
  });
  return ` ${kept.join('')}`;
}

/** A control sequence, or one UTF-16 unit, which is what letters are counted in. */
const colourOrUnit = /\u001b\[[\d;:]*m|\u001b\][^\u0007\u001b]*\u0007|[\s\S]/g;

/** Letters of lines: all but the white space, which goes and comes where lines are broken. */
export function lettersOf(lines: readonly string[]): string {
  return lines.map((line) => stripAnsi(line).replace(/\s+/g, '')).join('');
}

/** How many rows a terminal makes of a line; at least one. */
function rowCount(line: string, columns: number): number {
  if (visibleWidth(line) <= columns) return 1;
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let rows = 1;
  let width = 0;
  for (const { segment } of graphemes.segment(stripAnsi(line))) {
    const own = visibleWidth(segment);
    if (width + own > columns) {
      rows += 1;
      width = 0;
    }
    width += own;
  }
  return rows;
}
