/** Cuts numbered windows of lines out of a text. */

export interface TextWindow {
  /** Lines of the window, without their line feeds. */
  readonly lines: readonly string[];
  /** 1-based number of the first line. */
  readonly first: number;
  readonly totalLines: number;
}

/** `limit` lines from the 1-based `offset`. A final newline ends the last line and opens no other. */
export function cutWindow(text: string, offset: number, limit: number): TextWindow {
  const lines = text === '' ? [] : text.split('\n');
  if (text.endsWith('\n')) lines.pop();
  return { lines: lines.slice(offset - 1, offset - 1 + limit), first: offset, totalLines: lines.length };
}

/** The lines as the model sees them: number, a bar, the text. */
export function numberLines(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index}|${line}`).join('\n');
}

/**
 * As many whole lines from the front as fit into `maxChars` when they are numbered; a first one that does not is cut.
 * `lengthOf` says how many characters a numbered line becomes where it is written.
 */
export function linesWithin(
  lines: readonly string[],
  first: number,
  maxChars: number,
  lengthOf = (text: string) => text.length,
): readonly string[] {
  let left = maxChars + 1;
  const count = lines.findIndex((line, index) => {
    left -= lengthOf(numberLines([line], first + index)) + 1;
    return left < 0;
  });
  if (count === -1) return lines;
  return count > 0 ? lines.slice(0, count) : [cutText(lines[0] ?? '', Math.max(0, maxChars - 20))];
}

const cutMark = '... [truncated]';

/** The line, cut to `maxLength` characters and marked when longer. */
export function shortenLine(line: string, maxLength: number): string {
  return line.length <= maxLength ? line : cutText(line, maxLength) + cutMark;
}

/** The first `maxLength` characters, not splitting a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}

/** One line of at most 120 characters for the progress display. */
export function previewLine(text: string): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), 120);
}
