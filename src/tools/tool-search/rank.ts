/** Which tools a query means: Okapi BM25 over their names, descriptions and parameters (Robertson & Zaragoza, 2009). */
import type { Tool } from '../../agent/tool.ts';
import { isJsonObject } from '../../lib/json.ts';

const k1 = 1.5;
const b = 0.75;

export type Ranked = Pick<Tool<unknown>, 'name' | 'description' | 'schema'>;

/** Best first, at most `limit`; tools that have nothing of the query are left out, unless their name contains it. */
export function rankTools<T extends Ranked>(tools: readonly T[], query: string, limit: number): readonly T[] {
  const wanted = new Set(tokensOf(query));
  const documents = tools.map((tool) => ({ tool, counts: countsOf(textOf(tool)) }));
  const lengths = documents.map(({ counts }) => sum(counts));
  const average = lengths.reduce((total, length) => total + length, 0) / Math.max(1, lengths.length);
  const weights = new Map<string, number>();
  for (const word of wanted) {
    const holding = documents.filter(({ counts }) => counts.has(word)).length;
    weights.set(word, Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5)));
  }
  const scored = documents.map(({ tool, counts }, index) => {
    const norm = k1 * (1 - b + (b * (lengths[index] ?? 0)) / (average || 1));
    let score = 0;
    for (const [word, weight] of weights) {
      const count = counts.get(word) ?? 0;
      score += (weight * count * (k1 + 1)) / (count + norm);
    }
    return { tool, score };
  });
  const found = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
  if (found.length > 0) return found.slice(0, limit).map(({ tool }) => tool);
  const part = query.trim().toLowerCase();
  return part === '' ? [] : tools.filter(({ name }) => name.toLowerCase().includes(part)).slice(0, limit);
}

/** Names in camel case are taken apart; `_` and `-` part words too. */
function textOf({ name, description, schema }: Ranked): string {
  const { properties } = schema;
  const parameters = isJsonObject(properties) ? Object.keys(properties) : [];
  return [name, ...parameters]
    .map((word) => word.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2'))
    .concat(description)
    .join(' ');
}

function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokensOf(text)) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
