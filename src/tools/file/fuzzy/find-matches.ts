/** Finds where a text meant by a model stands in a file: nine strategies, from exact to similar, first hit wins. */
import { findAnchoredBlocks } from './block-anchor.ts';
import { findSimilarWindows } from './context-window.ts';
import { blockRange, findBlocks, splitLines, splitPattern, type Lines, type PatternLines } from './line-blocks.ts';
import type { Match, Range, Strategy } from './match.ts';
import { foldTypography, foldWithOffsets } from './typography.ts';

export interface FindOptions {
  /** Only whole lines may match, also where a strategy would search inside lines. */
  readonly lineAligned?: boolean;
}

/**
 * The first strategy that finds `pattern` in `content`, with all the places it finds; `undefined` when none does.
 * Both texts use `\n`. A pattern of white space alone is only searched as it is.
 */
export function findMatches(content: string, pattern: string, options: FindOptions = {}): Match | undefined {
  if (pattern === '') return undefined;
  const search = new Search(content, pattern, options.lineAligned === true);
  const exact = search.exact();
  if (exact !== undefined || pattern.trim() === '') return exact;
  return (
    search.lines('line_trimmed', (line) => line.trim()) ??
    search.lines('whitespace_normalized', (line) => line.replace(/[ \t]+/g, ' ')) ??
    search.lines('indentation_flexible', (line) => line.replace(/^[ \t]+/, '')) ??
    search.unescaped() ??
    search.trimmedBoundary() ??
    search.folded() ??
    search.blocks('block_anchor', findAnchoredBlocks) ??
    search.blocks('context_aware', findSimilarWindows)
  );
}

/** `\n`, `\t` and `\r` that were typed as two characters, as the characters they name. */
export function unescapeTyped(text: string): string {
  return text.replace(/\\r\\n/g, '\n').replace(/\\([ntr])/g, (_, name: string) => escapes[name] ?? name);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** One search; splits the texts into lines once, and only when a strategy needs them. */
class Search {
  readonly #content: string;
  readonly #pattern: string;
  readonly #lineAligned: boolean;
  #split: { readonly source: Lines; readonly pattern: PatternLines } | undefined;

  constructor(content: string, pattern: string, lineAligned: boolean) {
    this.#content = content;
    this.#pattern = pattern;
    this.#lineAligned = lineAligned;
  }

  exact(): Match | undefined {
    if (this.#lineAligned) return this.lines('exact');
    return inside('exact', occurrences(this.#content, this.#pattern));
  }

  lines(strategy: Strategy, normalise?: (line: string) => string): Match | undefined {
    return this.blocks(strategy, (source, pattern) => findBlocks(source, pattern, normalise));
  }

  /** Only when the pattern has typed escapes; for whole lines they must not change the number of lines. */
  unescaped(): Match | undefined {
    const pattern = unescapeTyped(this.#pattern);
    if (pattern === this.#pattern) return undefined;
    if (!this.#lineAligned) return inside('escape_normalized', occurrences(this.#content, pattern));
    const { source, pattern: original } = this.#splitTexts();
    const wanted = splitPattern(pattern);
    if (wanted.lines.length !== original.lines.length) return undefined;
    return whole('escape_normalized', source, wanted, findBlocks(source, wanted));
  }

  trimmedBoundary(): Match | undefined {
    return this.blocks('trimmed_boundary', findWithTrimmedBoundary);
  }

  folded(): Match | undefined {
    if (this.#lineAligned) return this.lines('typography_folded', foldTypography);
    const folded = foldWithOffsets(this.#content);
    const ranges = occurrences(folded.text, foldTypography(this.#pattern)).flatMap(({ start, end }) => {
      const originalStart = folded.toOriginal(start);
      const originalEnd = folded.toOriginal(end);
      return originalStart === undefined || originalEnd === undefined
        ? []
        : [{ start: originalStart, end: originalEnd }];
    });
    return inside('typography_folded', ranges);
  }

  blocks(strategy: Strategy, find: (source: Lines, pattern: PatternLines) => number[]): Match | undefined {
    const { source, pattern } = this.#splitTexts();
    return whole(strategy, source, pattern, find(source, pattern));
  }

  #splitTexts(): { readonly source: Lines; readonly pattern: PatternLines } {
    this.#split ??= { source: splitLines(this.#content), pattern: splitPattern(this.#pattern) };
    return this.#split;
  }
}

function inside(strategy: Strategy, ranges: readonly Range[]): Match | undefined {
  return ranges.length === 0 ? undefined : { strategy, ranges, wholeLines: false };
}

function whole(
  strategy: Strategy,
  source: Lines,
  pattern: PatternLines,
  firstLines: readonly number[],
): Match | undefined {
  if (firstLines.length === 0) return undefined;
  const ranges = firstLines.map((first) => blockRange(source, first, pattern));
  return { strategy, ranges, wholeLines: true };
}

/** All places of a substring, from the left, not overlapping. */
function occurrences(content: string, pattern: string): Range[] {
  const ranges: Range[] = [];
  for (let at = content.indexOf(pattern); at !== -1; at = content.indexOf(pattern, at + pattern.length)) {
    ranges.push({ start: at, end: at + pattern.length });
  }
  return ranges;
}

function findWithTrimmedBoundary(source: Lines, pattern: PatternLines): number[] {
  const count = pattern.lines.length;
  const first = pattern.lines[0]?.trim();
  const last = pattern.lines[count - 1]?.trim();
  const middle = pattern.lines.slice(1, -1);
  const trimmed = source.lines.map((line) => line.trim());
  const found: number[] = [];
  for (let start = 0; start + count <= trimmed.length; start += 1) {
    if (trimmed[start] !== first || trimmed[start + count - 1] !== last) continue;
    if (!middle.every((line, index) => source.lines[start + 1 + index] === line)) continue;
    found.push(start);
    start += count - 1;
  }
  return found;
}
