/** Finds what somebody may have meant by a key or a word that does not exist. Loaded only to say so. */
import { closest, distance } from 'fastest-levenshtein';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { parseSection } from './parse-config.ts';
import { isSectionName, SECTIONS } from './schema.ts';

/** The known word that is nearest, when it is near enough to have been meant. */
function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const found = closest(word.toLowerCase(), [...known]);
  return distance(word.toLowerCase(), found.toLowerCase()) <= Math.ceil(word.length / 3) ? found : undefined;
}

/** The key of `config.yaml` that a mistyped one may have meant: name by name, then by its last name anywhere. */
export function nearestKey(key: string): string | undefined {
  const names = key.split('.');
  const first = nearest(names[0] ?? '', Object.keys(SECTIONS));
  const within = first === undefined ? undefined : below(first, names.slice(1));
  if (within !== undefined && within !== key) return within;
  if (first !== undefined && first !== names[0]) return first;
  const last = names.at(-1) ?? '';
  return Object.keys(SECTIONS)
    .map((name) => below(name, [last]))
    .find((found) => found !== undefined && found.endsWith(`.${last}`));
}

function below(section: string, names: readonly string[]): string | undefined {
  if (!isSectionName(section)) return undefined;
  const found: string[] = [section];
  let fields = fieldsOf(parseSection(section, undefined).value, section);
  for (const name of names) {
    const next = nearest(name, Object.keys(fields));
    if (next === undefined) return undefined;
    found.push(next);
    fields = fieldsOf(fields[next], '');
  }
  return found.join('.');
}

/** Keys with a default are known from it; the few without one have to be named. */
function fieldsOf(value: unknown, section: string): JsonObject {
  const defaults = isJsonObject(value) ? value : {};
  const more = section === 'model' ? ['api_mode', 'context_length', 'max_tokens', 'supports_vision'] : [];
  return { ...Object.fromEntries(more.map((name) => [name, null])), ...defaults };
}
