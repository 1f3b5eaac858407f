/** Finds blocks whose first and last lines are the pattern's and whose middle resembles it. */
import type { Lines, PatternLines } from './line-blocks.ts';
import { lineSimilarity, similarity } from './similarity.ts';
import { foldTypography } from './typography.ts';

const soleCandidateThreshold = 0.5;
const severalCandidatesThreshold = 0.7;
/** More places than this cannot be told apart by resemblance. */
const maxCandidates = 64;
/** Character comparisons that may be spent before lines are compared instead; about a tenth of a second. */
const maxComparisons = 40_000_000;

/** First line numbers of the blocks, in file order. */
export function findAnchoredBlocks(source: Lines, pattern: PatternLines): number[] {
  const wanted = pattern.lines.map(clean);
  const count = wanted.length;
  const first = wanted[0];
  const last = wanted[count - 1];
  // Blank anchors hold nothing.
  if (count < 2 || first === undefined || first === '' || last === undefined || last === '') return [];
  const lines = source.lines.map(clean);
  const candidates: number[] = [];
  for (let start = 0; start + count <= lines.length; start += 1) {
    if (lines[start] === first && lines[start + count - 1] === last) candidates.push(start);
  }
  if (candidates.length > maxCandidates) return [];
  const resemblance = middleResemblance(wanted.slice(1, -1), candidates.length);
  if (resemblance === undefined) return [];
  const threshold = candidates.length === 1 ? soleCandidateThreshold : severalCandidatesThreshold;
  return candidates.filter((start) => resemblance(lines.slice(start + 1, start + count - 1)) >= threshold);
}

function clean(line: string): string {
  return foldTypography(line.trim());
}

/** How to compare middles within the budget; `undefined` when not even lines can be compared. */
function middleResemblance(
  wanted: readonly string[],
  candidates: number,
): ((middle: readonly string[]) => number) | undefined {
  if (wanted.length === 0) return () => 1;
  const text = wanted.join('\n');
  const perCandidate = maxComparisons / Math.max(candidates, 1);
  if (wanted.length ** 2 > perCandidate) return undefined;
  return (middle) => {
    const other = middle.join('\n');
    return text.length * other.length <= perCandidate ? similarity(text, other) : lineSimilarity(wanted, middle);
  };
}
