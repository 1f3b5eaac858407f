/** Finds windows in which at least half the lines strongly resemble the pattern's: the last resort. */
import type { Lines, PatternLines } from './line-blocks.ts';
import { lengthBound, similarity } from './similarity.ts';

const lineThreshold = 0.8;
/** Pairs of distinct lines that are looked at. */
const maxPairs = 20_000_000;
/** Character comparisons in all. */
const maxComparisons = 60_000_000;
const buckets = 64;

/**
 * First line numbers of the windows, best first where windows overlap. Half of the lines that are not blank must
 * be alike too, so that empty lines alone never make a match. Nothing when the comparison would take too long.
 */
export function findSimilarWindows(source: Lines, pattern: PatternLines): number[] {
  const wanted = pattern.lines.map((line) => line.trim());
  const count = wanted.length;
  const windows = source.lines.length - count + 1;
  if (windows < 1) return [];
  const occurrences = groupByText(source.lines);
  const alike = similarLines(new Set(wanted), occurrences);
  if (alike === undefined) return [];
  const scores = new Uint32Array(windows);
  const solidScores = new Uint32Array(windows);
  wanted.forEach((text, index) => {
    for (const line of alike.get(text) ?? []) {
      const window = line - index;
      if (window < 0 || window >= windows) continue;
      scores[window] = (scores[window] ?? 0) + 1;
      if (text !== '') solidScores[window] = (solidScores[window] ?? 0) + 1;
    }
  });
  const solid = wanted.filter((text) => text !== '').length;
  const passing: { start: number; score: number }[] = [];
  scores.forEach((score, start) => {
    const solidScore = solidScores[start] ?? 0;
    if (solidScore > 0 && score * 2 >= count && solidScore * 2 >= solid) passing.push({ start, score });
  });
  return bestOfOverlapping(passing, count);
}

function groupByText(lines: readonly string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const text = line.trim();
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [index]);
    else group.push(index);
  });
  return groups;
}

/** For each wanted text the lines that resemble it; `undefined` when over budget. */
function similarLines(
  wanted: ReadonlySet<string>,
  occurrences: ReadonlyMap<string, readonly number[]>,
): Map<string, number[]> | undefined {
  if (wanted.size * occurrences.size > maxPairs) return undefined;
  const candidates = [...occurrences].map(([text, lines]) => ({ text, lines, histogram: histogramOf(text) }));
  const result = new Map<string, number[]>();
  let comparisons = 0;
  for (const text of wanted) {
    const histogram = histogramOf(text);
    const lines: number[] = [];
    for (const candidate of candidates) {
      if (candidate.text !== text) {
        if (lengthBound(text, candidate.text) < lineThreshold) continue;
        if (sharedBound(histogram, candidate.histogram, text.length + candidate.text.length) < lineThreshold) continue;
        comparisons += text.length * candidate.text.length;
        if (comparisons > maxComparisons) return undefined;
        if (similarity(text, candidate.text) < lineThreshold) continue;
      }
      for (const line of candidate.lines) lines.push(line);
    }
    result.set(text, lines);
  }
  return result;
}

function histogramOf(text: string): Uint16Array {
  const histogram = new Uint16Array(buckets);
  for (let index = 0; index < text.length; index += 1) {
    const bucket = text.charCodeAt(index) % buckets;
    histogram[bucket] = Math.min((histogram[bucket] ?? 0) + 1, 0xffff);
  }
  return histogram;
}

/** Never below the similarity: what both texts share when order does not count. */
function sharedBound(left: Uint16Array, right: Uint16Array, totalLength: number): number {
  let shared = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) shared += Math.min(left[bucket] ?? 0, right[bucket] ?? 0);
  return (2 * shared) / totalLength;
}

/** Drops a window that overlaps a strictly better one; equally good ones stay and make the match ambiguous. */
function bestOfOverlapping(passing: readonly { start: number; score: number }[], count: number): number[] {
  const kept = passing.filter(({ start, score }, index) => {
    for (let before = index - 1; before >= 0; before -= 1) {
      const other = passing[before];
      if (other === undefined || start - other.start >= count) break;
      if (other.score > score) return false;
    }
    for (let after = index + 1; after < passing.length; after += 1) {
      const other = passing[after];
      if (other === undefined || other.start - start >= count) break;
      if (other.score > score) return false;
    }
    return true;
  });
  return kept.map(({ start }) => start);
}
