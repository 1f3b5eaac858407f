/** What a fuzzy search answers with. */

/** The strategies of the fuzzy chain, in the order in which they are tried. */
export const strategies = [
  'exact',
  'line_trimmed',
  'whitespace_normalized',
  'indentation_flexible',
  'escape_normalized',
  'trimmed_boundary',
  'typography_folded',
  'block_anchor',
  'context_aware',
] as const;

export type Strategy = (typeof strategies)[number];

/** Half-open range of UTF-16 offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Match {
  readonly strategy: Strategy;
  /** At least one, in file order, not overlapping unless `ambiguous`. */
  readonly ranges: readonly Range[];
  /** True when the ranges are whole lines, whose white space need not equal the pattern's. */
  readonly wholeLines: boolean;
}
