/** What the user calls models: `model_aliases` and `model.aliases`, the other way round. */
import type { Config } from '../../config/schema.ts';

/** By model id; of several names the shortest. */
export function modelNames({ model, model_aliases: aliases }: Config): ReadonlyMap<string, string> {
  const short = Object.entries(model.aliases).map(
    ([name, spec]) => [name, spec.trim().replace(/^[^/]*\//, '')] as const,
  );
  const named = [...Object.entries(aliases).map(([name, entry]) => [name, entry.model.trim()] as const), ...short];
  const longestFirst = named.filter(([, id]) => id !== '').sort(([one], [other]) => other.length - one.length);
  return new Map(longestFirst.map(([name, id]) => [id, name]));
}
