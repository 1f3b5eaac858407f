/** The places of a text that are code: what looks like a mark there is only quoted. */
import { findFences } from './fences.ts';
import { codeSpanAt, runOf } from './spans.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Code blocks and code within lines, in the order of the text. */
export function codeRanges(text: string): Range[] {
  let from = 0;
  const ranges = findFences(text).map((fence): readonly Range[] => {
    const before = spansBetween(text, from, fence.lineStart);
    from = fence.end;
    return [...before, { start: fence.lineStart, end: fence.end }];
  });
  return [...ranges.flat(), ...spansBetween(text, from, text.length)];
}

/** @param ranges in the order of the text */
export function isWithin(ranges: readonly Range[], place: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.start ?? Infinity) <= place;
}

function spansBetween(text: string, from: number, to: number): Range[] {
  const spans: Range[] = [];
  for (let at = text.indexOf('`', from); at !== -1 && at < to; ) {
    const span = text[at - 1] === '\\' ? undefined : codeSpanAt(text, at);
    const inside = span !== undefined && span.end <= to;
    if (inside) spans.push({ start: at, end: span.end });
    at = text.indexOf('`', inside ? span.end : at + runOf(text, at, '`'));
  }
  return spans;
}
