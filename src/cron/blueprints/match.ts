/** Which blueprint somebody means who types its name by heart. */
import { distance } from 'fastest-levenshtein';
import type { Blueprint } from './blueprint.ts';

/** One: that is it. Several: they cannot be told apart. None: nothing is like it. */
export function matchBlueprints(typed: string, blueprints: readonly Blueprint[]): readonly Blueprint[] {
  const wanted = typed
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  if (wanted === '') return [];
  const ways: readonly ((blueprint: Blueprint) => boolean)[] = [
    ({ key }) => key.toLowerCase() === wanted,
    ({ key, title }) => key.toLowerCase().startsWith(wanted) || wordsOf(title).some((word) => word.startsWith(wanted)),
    ({ key, title }) => key.toLowerCase().includes(wanted) || wordsOf(title).join('-').includes(wanted),
    ({ key }) => distance(key.toLowerCase(), wanted) <= Math.ceil(wanted.length / 3),
  ];
  for (const way of ways) {
    const found = blueprints.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}

function wordsOf(title: string): string[] {
  return title.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}
