/** Replaces text in a file's content, found as exactly as possible and as loosely as necessary. */
import { findMatches, unescapeTyped } from './fuzzy/find-matches.ts';
import { splitPattern } from './fuzzy/line-blocks.ts';
import type { Match, Range, Strategy } from './fuzzy/match.ts';
import { reindent } from './fuzzy/reindent.ts';
import { strayEscape, withRealTabs } from './fuzzy/typed-escapes.ts';
import { keepTypography } from './fuzzy/typography.ts';
import { SourceText } from './source-text.ts';

export type Replacement =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number; readonly strategy: Strategy }
  | { readonly kind: 'missing' }
  | { readonly kind: 'ambiguous'; readonly count: number }
  /** Found, but both texts hold a quote escaped that the file has not. */
  | { readonly kind: 'escaped'; readonly escape: string }
  /** Found, but the file would stay as it is. */
  | { readonly kind: 'unchanged' };

/**
 * `raw` with `oldString` replaced once, or everywhere with `replaceAll`. Line endings, a byte order mark and a missing
 * final newline of the file are kept. Where white space was ignored in finding, whole lines are replaced and the new
 * text takes the file's indentation.
 */
export function replaceText(raw: string, oldString: string, newString: string, replaceAll: boolean): Replacement {
  const source = new SourceText(raw);
  const pattern = oldString.replaceAll('\r\n', '\n');
  const replacement = pattern === oldString ? newString : newString.replaceAll('\r\n', '\n');
  const match = findMatches(source.text, pattern);
  if (match === undefined) return { kind: 'missing' };
  if (match.ranges.length > 1 && (!replaceAll || overlap(match.ranges))) {
    return { kind: 'ambiguous', count: match.ranges.length };
  }
  const places = match.ranges.map((range) => source.text.slice(range.start, range.end));
  const escape = match.strategy === 'exact' ? undefined : strayEscape(places.join('\n'), pattern, replacement);
  if (escape !== undefined) return { kind: 'escaped', escape };
  const edits = match.ranges.map((range) => ({
    ...range,
    text: fitted(source.text, range, match, pattern, replacement),
  }));
  const text = source.apply(edits);
  if (text === raw) return { kind: 'unchanged' };
  return { kind: 'replaced', text, count: edits.length, strategy: match.strategy };
}

function overlap(ranges: readonly Range[]): boolean {
  return ranges.some((range, index) => range.start < (ranges[index - 1]?.end ?? 0));
}

/** The new text as this place needs it. */
function fitted(content: string, range: Range, match: Match, pattern: string, replacement: string): string {
  if (match.strategy === 'escape_normalized') return unescapedLike(pattern, replacement);
  if (match.strategy === 'exact') return replacement;
  const found = content.slice(range.start, range.end);
  if (match.strategy === 'typography_folded' && !match.wholeLines) return keepTypography(found, replacement);
  const text = reindent(withRealTabs(found, replacement), splitPattern(pattern).lines, found.split('\n'));
  // The file ends here without a newline: what the pattern had too many, the new text has too.
  const hasSpareNewline = pattern.endsWith('\n') && !found.endsWith('\n') && text.endsWith('\n');
  return hasSpareNewline ? text.slice(0, -1) : text;
}

/**
 * A model that typed `\n` in the old text for a line break did the same in the new one. It is taken at its word when
 * neither text has a real line break; otherwise a typed `\n` may well belong to the code.
 */
function unescapedLike(pattern: string, replacement: string): string {
  const typedThroughout = !pattern.includes('\n') && !replacement.includes('\n');
  return typedThroughout ? unescapeTyped(replacement) : replacement;
}
