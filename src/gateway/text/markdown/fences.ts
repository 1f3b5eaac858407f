/** Fenced code blocks of a text, by their places in it. */

export interface Fence {
  /** Beginning of the opening line. */
  readonly lineStart: number;
  /** Where its marker stands, after the indentation. */
  readonly markerAt: number;
  readonly marker: string;
  /** What stands behind the marker, usually the language. */
  readonly info: string;
  readonly codeStart: number;
  /** End of the code, without the line break before the closing line. */
  readonly codeEnd: number;
  /** Beginning of the closing line; the end of the text where there is none. */
  readonly closeStart: number;
  /** End of the closing line, without its line break. */
  readonly end: number;
  readonly closed: boolean;
}

// A line of backticks with more backticks behind other text is a code span, not a fence.
const OPENING = /^[ \t]*(?:(`{3,})([^`\n]*)|(~{3,})([^\n]*))$/;

/** In the order of the text. Models indent fences within lists by any amount, so any indentation counts. */
export function findFences(text: string): Fence[] {
  const fences: Fence[] = [];
  let at = 0;
  while (at < text.length) {
    const lineEnd = endOfLine(text, at);
    const fence = readFence(text, at, lineEnd);
    if (fence !== undefined) fences.push(fence);
    at = (fence?.end ?? lineEnd) + 1;
  }
  return fences;
}

/** The fence within which this place is, its marker and its last line included. */
export function fenceAt(fences: readonly Fence[], place: number): Fence | undefined {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(fences[middle]) <= place) low = middle + 1;
    else high = middle;
  }
  const fence = fences[low];
  return fence !== undefined && fence.markerAt < place ? fence : undefined;
}

/** The end of the text is still within a block that was not closed. */
function endOf(fence: Fence | undefined): number {
  return fence === undefined ? 0 : fence.end + (fence.closed ? 0 : 1);
}

function readFence(text: string, lineStart: number, lineEnd: number): Fence | undefined {
  const line = text.slice(lineStart, lineEnd);
  const opening = OPENING.exec(line);
  const marker = opening?.[1] ?? opening?.[3];
  if (marker === undefined) return undefined;
  const info = (opening?.[2] ?? opening?.[4] ?? '').trim();
  const start = { lineStart, markerAt: lineStart + line.indexOf(marker), marker, info };
  const codeStart = Math.min(lineEnd + 1, text.length);
  const closing = findClosing(text, codeStart, marker);
  if (closing === undefined) {
    return { ...start, codeStart, codeEnd: text.length, closeStart: text.length, end: text.length, closed: false };
  }
  const codeEnd = Math.max(codeStart, closing.start - 1);
  return { ...start, codeStart, codeEnd, closeStart: closing.start, end: closing.end, closed: true };
}

function findClosing(text: string, from: number, marker: string): { start: number; end: number } | undefined {
  for (let start = from; start < text.length; ) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end).trim();
    if (line.length >= marker.length && line === marker.charAt(0).repeat(line.length)) return { start, end };
    start = end + 1;
  }
  return undefined;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
