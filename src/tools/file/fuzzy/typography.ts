/** Folds typographic characters to what a keyboard has, with a way back to the original offsets. */

export interface FoldedText {
  readonly text: string;
  /** The original offset of a folded one; `undefined` inside a character that folded to several. */
  toOriginal(offset: number): number | undefined;
}

/** Quotes, dashes and unusual spaces become their ASCII twins, an ellipsis three dots. */
export function foldTypography(text: string): string {
  if (!typographic.test(text)) return text;
  return text
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2007\u202F]/g, ' ')
    .replace(/\u2026/g, '...');
}

export function foldWithOffsets(text: string): FoldedText {
  const ellipses: number[] = [];
  for (let at = text.indexOf('\u2026'); at !== -1; at = text.indexOf('\u2026', at + 1)) ellipses.push(at);
  return { text: foldTypography(text), toOriginal: (offset) => originalOffset(ellipses, offset) };
}

/**
 * `replacement` with the typographic characters of `found` where both are the same from the start and from the end of a
 * line: a model that has no such keys does not mean to change them.
 */
export function keepTypography(found: string, replacement: string): string {
  const [before, after] = [found.split('\n'), replacement.split('\n')];
  if (before.length !== after.length) return keepAround(found, replacement);
  return after.map((line, index) => keepAround(before[index] ?? '', line)).join('\n');
}

function keepAround(found: string, replacement: string): string {
  const [before, after] = [foldWithOffsets(found), foldWithOffsets(replacement)];
  const shorter = Math.min(before.text.length, after.text.length);
  let start = 0;
  while (start < shorter && before.text[start] === after.text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.text.at(-1 - end) === after.text.at(-1 - end)) end += 1;
  return (
    part(found, before, 0, start) +
    part(replacement, after, start, after.text.length - end) +
    part(found, before, before.text.length - end, before.text.length)
  );
}

/** What begins or ends within one character of the text is taken as it is folded. */
function part(text: string, folded: FoldedText, start: number, end: number): string {
  const [from, to] = [folded.toOriginal(start), folded.toOriginal(end)];
  return from === undefined || to === undefined ? folded.text.slice(start, end) : text.slice(from, to);
}

const typographic = /[\u2010-\u2015\u2018-\u201F\u2026\u2212\u00A0\u2007\u202F]/;

/** Each ellipsis before the offset added two characters. */
function originalOffset(ellipses: readonly number[], offset: number): number | undefined {
  let low = 0;
  let high = ellipses.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ellipses[middle] ?? 0) + 2 * middle < offset) low = middle + 1;
    else high = middle;
  }
  const previous = ellipses[low - 1];
  if (previous !== undefined && offset < previous + 2 * (low - 1) + 3) return undefined;
  return offset - 2 * low;
}
