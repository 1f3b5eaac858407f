/** Suggests files for a name that does not exist. */
import { similarity } from './fuzzy/similarity.ts';

const maxSuggestions = 5;
const minSimilarity = 0.5;
/** A directory with more entries is only searched that far. */
const maxNames = 5000;

/** Up to five of `names` that look like `wanted`, best first. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const target = wanted.toLowerCase();
  return names
    .slice(0, maxNames)
    .map((name) => ({ name, score: score(target, name.toLowerCase()) }))
    .filter(({ score }) => score >= minSimilarity)
    .sort((left, right) => right.score - left.score || left.name.localeCompare(right.name))
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

function score(wanted: string, name: string): number {
  if (wanted === name) return 1;
  const isPart = wanted.length > 2 && (name.includes(wanted) || (name.length > 2 && wanted.includes(name)));
  const alike = similarity(wanted.slice(0, 255), name.slice(0, 255));
  return isPart ? Math.max(alike, 0.75) : alike;
}
