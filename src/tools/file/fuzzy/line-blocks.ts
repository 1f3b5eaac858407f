/** Finds blocks of whole lines that equal a pattern after both went through the same normalisation. */
import type { Range } from './match.ts';

/** A text with its lines and the offset at which each begins. A final newline makes a last, empty line. */
export interface Lines {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

/** The lines of a pattern; one final newline belongs to the last line instead of opening another. */
export interface PatternLines {
  readonly lines: readonly string[];
  readonly endsWithNewline: boolean;
}

export function splitLines(text: string): Lines {
  const lines = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  return { text, lines, starts };
}

export function splitPattern(pattern: string): PatternLines {
  const endsWithNewline = pattern.endsWith('\n') && pattern.length > 1;
  return { lines: (endsWithNewline ? pattern.slice(0, -1) : pattern).split('\n'), endsWithNewline };
}

/**
 * First line numbers (0-based) of the blocks that equal the pattern, not overlapping.
 * The normalised lines are joined and searched as one string, which keeps this linear however often lines repeat.
 */
export function findBlocks(
  source: Lines,
  pattern: PatternLines,
  normalise: (line: string) => string = (line) => line,
): number[] {
  const normalised = source.lines.map(normalise);
  const haystack = `\n${normalised.join('\n')}\n`;
  const needle = `\n${pattern.lines.map(normalise).join('\n')}\n`;
  const found: number[] = [];
  let line = 0;
  let lineStart = 0;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length - 1)) {
    while (lineStart < at) {
      lineStart += (normalised[line] ?? '').length + 1;
      line += 1;
    }
    found.push(line);
  }
  return found;
}

/** The offsets of `count` lines from `first`; with their last newline when the pattern has one and the text too. */
export function blockRange(source: Lines, first: number, pattern: PatternLines): Range {
  const last = first + pattern.lines.length - 1;
  const start = source.starts[first] ?? source.text.length;
  const end = (source.starts[last] ?? source.text.length) + (source.lines[last] ?? '').length;
  return { start, end: pattern.endsWithNewline && end < source.text.length ? end + 1 : end };
}
