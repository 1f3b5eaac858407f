/** Shows the change of a file as a unified diff of bounded size. */
import { cutText } from './text-window.ts';

/** `undefined` is the side on which the file does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const maxDiffChars = 20_000;
const contextLines = 3;
/** A comparison that takes longer holds up everything else in the process. */
const diffDeadlineMs = 80;

/** Header with `a/` and `b/`, then the hunks; a change too large to compare is named instead of shown. */
export async function unifiedDiff(change: FileChange): Promise<string> {
  const { formatPatch, structuredPatch, OMIT_HEADERS } = await import('diff');
  const name = change.path.replace(/^\/+/, '');
  const from = change.before === undefined ? '/dev/null' : `a/${name}`;
  const to = change.after === undefined ? '/dev/null' : `b/${name}`;
  const header = `--- ${from}\n+++ ${to}\n`;
  const { before, after, skippedLines } = changedPart(change.before ?? '', change.after ?? '');
  const patch = structuredPatch(from, to, before, after, undefined, undefined, {
    context: contextLines,
    timeout: diffDeadlineMs,
  });
  if (patch === undefined) return `${header}[The change is too large to show]\n`;
  for (const hunk of patch.hunks) {
    hunk.oldStart += skippedLines;
    hunk.newStart += skippedLines;
  }
  return header + formatPatch(patch, OMIT_HEADERS);
}

/** The diff, cut at a line when it is longer than a model needs to see. */
export function boundDiff(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  const cut = cutText(diff, maxDiffChars);
  const shown = cut.slice(0, cut.lastIndexOf('\n') + 1) || cut;
  return `${shown}[diff cut: ${diff.length.toLocaleString('en-US')} characters in all]\n`;
}

/** Both texts without the lines they begin and end with alike, but for the context to show. */
function changedPart(before: string, after: string): { before: string; after: string; skippedLines: number } {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  return {
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
    skippedLines: countNewlines(before, start),
  };
}

function commonStart(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let same = 0;
  while (same < limit && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  let start = same;
  // Back to the beginning of this line, then of the lines of context.
  for (let line = 0; line <= contextLines; line += 1) {
    if (start === 0) return 0;
    start = before.lastIndexOf('\n', start - (line === 0 ? 1 : 2)) + 1;
  }
  return start;
}

function commonEnd(before: string, after: string, start: number): number {
  const limit = Math.min(before.length, after.length) - start;
  let same = 0;
  while (same < limit && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) {
    same += 1;
  }
  let cut = before.length - same;
  // On to the end of this line, then of the lines of context.
  for (let line = 0; line <= contextLines; line += 1) {
    const newline = before.indexOf('\n', cut);
    if (newline === -1) return 0;
    cut = newline + 1;
  }
  return before.length - cut;
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
