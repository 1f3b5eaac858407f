/** Text in columns, as wide as it looks on a terminal. */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// East Asian Wide and Fullwidth, and emoji, take two cells.
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|\uFE0F/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** The text padded to `width` cells, or cut with `…` when it is wider. */
export function fit(text: string, width: number): string {
  if (cells(text) <= width) return text + ' '.repeat(width - cells(text));
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = used + graphemeCells(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return `${kept}…${' '.repeat(width - 1 - used)}`;
}

function cells(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeCells(segment);
  return width;
}

function graphemeCells(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
