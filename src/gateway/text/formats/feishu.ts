/** Feishu: plain text, or a post of Markdown rows when there is anything to mark. */
import { findFences } from '../markdown/fences.ts';
import { parseInline, type Inline } from '../markdown/inline.ts';
import { readLine } from '../markdown/render.ts';
import { isTable } from '../markdown/tables.ts';

export type FeishuMessage =
  | { readonly type: 'text'; readonly payload: { readonly text: string } }
  | { readonly type: 'post'; readonly payload: { readonly zh_cn: { readonly content: readonly (readonly Row[])[] } } };

interface Row {
  readonly tag: 'md';
  readonly text: string;
}

export function toFeishu(markdown: string): FeishuMessage {
  if (!hasMarks(markdown)) return { type: 'text', payload: { text: markdown } };
  const content = rowsOf(markdown).map((text) => [{ tag: 'md' as const, text }]);
  return { type: 'post', payload: { zh_cn: { content } } };
}

/** Code blocks are rows of their own. */
function rowsOf(markdown: string): string[] {
  const rows: string[] = [];
  let at = 0;
  for (const fence of findFences(markdown)) {
    rows.push(withoutBreaks(markdown.slice(at, fence.lineStart)), markdown.slice(fence.lineStart, fence.end));
    at = fence.end;
  }
  return [...rows, withoutBreaks(markdown.slice(at))].filter((row) => row.trim() !== '');
}

const withoutBreaks = (text: string): string => text.replace(/^\n+/, '').replace(/\n+$/, '');

function hasMarks(markdown: string): boolean {
  if (findFences(markdown).length > 0) return true;
  const lines = markdown.split('\n');
  return lines.some((line, index) => isTable(line, lines[index + 1]) || hasLineMarks(line));
}

function hasLineMarks(line: string): boolean {
  const read = readLine(line);
  if (read.kind !== 'words' || /^\s*(?:\d+\.\s|(?:-{3,}|\*{3,}|_{3,})\s*$)/.test(line)) return true;
  return parseInline(line).some(isMark);
}

/** Marks made of underscores are none in Feishu. */
function isMark(node: Inline): boolean {
  if (node.kind === 'text') return false;
  return !('mark' in node && node.mark.startsWith('_') && !node.children.some(isMark));
}
