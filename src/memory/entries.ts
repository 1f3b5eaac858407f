/** The format of MEMORY.md and USER.md: entries with a line of `§` between them. */

/** Stands alone on a line between two entries, for hands that edit also with blanks around it. Inside a line it is content. */
const separator = '§';

/**
 * Trimmed, without blanks, and each text once: the first of equal ones stays. No entry holds a line that is only the
 * separator, so what is rendered from these is read back the same.
 */
export function parseEntries(text: string): string[] {
  const entries: string[][] = [[]];
  for (const line of plainText(text).split('\n')) {
    if (line.trim() === separator) entries.push([]);
    else entries.at(-1)?.push(line);
  }
  const texts = entries.map((lines) => lines.join('\n').trim()).filter((entry) => entry !== '');
  return [...new Set(texts)];
}

/** Line ends of all systems as one, and only characters that a file can hold. */
export function plainText(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .toWellFormed();
}

/** Whether the text would be read back as more than one entry. */
export function holdsSeparator(text: string): boolean {
  return text.split('\n').some((line) => line.trim() === separator);
}

/** The file's text; empty for no entries. */
export function renderEntries(entries: readonly string[]): string {
  return entries.join(`\n${separator}\n`);
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
