/** The format of MEMORY.md and USER.md: entries with a line of `§` between them. */

/** Between two entries. The sign inside a line is content. */
const delimiter = '\n§\n';

/** Trimmed, without blanks, and each text once: the first of equal ones stays. */
export function parseEntries(text: string): string[] {
  const entries = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split(delimiter)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return [...new Set(entries)];
}

/** The file's text; empty for no entries. */
export function renderEntries(entries: readonly string[]): string {
  return entries.join(delimiter);
}

/** Length in Unicode code points, delimiters included: what the limits count. */
export function sizeOf(entries: readonly string[]): number {
  return codePoints(renderEntries(entries));
}

export function codePoints(text: string): number {
  return Array.from(text).length;
}

/** `67% — 1,474/2,200 chars` */
export function usageLine(size: number, limit: number): string {
  const percent = limit <= 0 ? 100 : Math.min(100, Math.floor((100 * size) / limit));
  return `${percent}% — ${sizeLine(size, limit)} chars`;
}

/** `1,474/2,200` */
export function sizeLine(size: number, limit: number): string {
  return `${size.toLocaleString('en-US')}/${limit.toLocaleString('en-US')}`;
}
