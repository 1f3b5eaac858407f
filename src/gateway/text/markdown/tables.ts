/** Tables as lists, for platforms that show no tables. */
import { codeRanges, isWithin } from './code-ranges.ts';
import { mapBlocks } from './render.ts';

/** Each row becomes its first cell in bold and a line `• Header: value` for each other one. */
export function tablesToLists(markdown: string): string {
  return mapBlocks(markdown, convert, (fence) => markdown.slice(fence.lineStart, fence.end));
}

/** True when a table begins with the first of these lines. */
export function isTable(head: string | undefined, rule: string | undefined): boolean {
  return head !== undefined && rule !== undefined && head.includes('|') && rule.includes('|') && RULE.test(rule);
}

const RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

function convert(prose: string): string {
  const lines = prose.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    if (!isTable(lines[at], lines[at + 1])) {
      out.push(lines[at] ?? '');
      at += 1;
      continue;
    }
    const end = lines.findIndex((line, index) => index > at + 1 && !line.includes('|'));
    const rows = lines.slice(at + 2, end === -1 ? lines.length : end);
    out.push(rows.map((row) => listOf(cellsOf(lines[at] ?? ''), cellsOf(row))).join('\n\n'));
    at = end === -1 ? lines.length : end;
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
