/** Tables as lists, for platforms that show no tables. */
import { codeRanges, isWithin } from './code-ranges.ts';
import { mapBlocks } from './render.ts';

/** Each row becomes its first cell in bold and a line `• Header: value` for each other one. */
export function tablesToLists(markdown: string): string {
  return mapBlocks(markdown, convert, (fence) => markdown.slice(fence.lineStart, fence.end));
}

/** True when a table begins with the first of these lines. */
export function isTable(head: string | undefined, rule: string | undefined): boolean {
  return head !== undefined && rule !== undefined && head.includes('|') && rule.includes('|') && RULE.test(rule.trim());
}

const RULE = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
/** Characters of a head line. It stands again in the list of each row: a longer one would make a book of a table. */
const MAX_HEAD = 2000;

function convert(prose: string): string {
  const lines = prose.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const head = lines[at] ?? '';
    if (head.length > MAX_HEAD || !isTable(head, lines[at + 1])) {
      out.push(head);
      at += 1;
      continue;
    }
    let end = at + 2;
    while (lines[end]?.includes('|') === true) end += 1;
    const headers = cellsOf(head);
    const rows = lines.slice(at + 2, end);
    out.push(rows.map((row) => listOf(headers, cellsOf(row))).join('\n\n'));
    at = end;
  }
  return out.join('\n');
}

function listOf(headers: readonly string[], [first = '', ...others]: readonly string[]): string {
  if (headers.length < 2) return `• ${first}`;
  const title = first.replaceAll('**', '');
  const lines = others.map((value, index) => `• ${headers[index + 1] ?? ''}: ${value}`);
  return [...(title === '' ? [] : [`**${title}**`]), ...lines].join('\n');
}

function cellsOf(row: string): string[] {
  const line = row.trim();
  const code = codeRanges(line);
  const cells: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] !== '|' || line[at - 1] === '\\' || isWithin(code, at)) continue;
    if (at > 0) cells.push(line.slice(start, at).trim());
    start = at + 1;
  }
  if (start < line.length) cells.push(line.slice(start).trim());
  return cells;
}
