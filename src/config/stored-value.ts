/** Turns what was typed after `hermes config set KEY` into the value that is stored. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { parseBoolean } from './env-values.ts';
import { normaliseLegacy } from './legacy.ts';
import { parseSection, unknownKeysOf } from './parse-config.ts';
import { isSectionName } from './schema.ts';
import { setAt, valueAt } from './values.ts';

export interface StoredValue {
  readonly value: JsonValue;
  /** Why the value cannot be used, with the key; nobody may store it then. */
  readonly problems: readonly string[];
  /** Nothing reads this key. */
  readonly unknown: boolean;
}

/**
 * Text for keys that take text, a list for keys that take lists; otherwise booleans and numbers are recognised. `present` is
 * what the file says so far: a number in the path means an item where a list stands there.
 */
export function storedValue(path: readonly string[], typed: string, present: JsonObject = {}): StoredValue {
  if (path.join('.') === 'model.default' && /^(-?[\d.]+|true|false|yes|no|on|off|null|~)?$/i.test(typed.trim())) {
    return { value: typed, problems: [`model.default: '${typed}' is not the name of a model`], unknown: false };
  }
  const asTyped = readBack(path, typed, present);
  const { unknown } = asTyped;
  if (asTyped.value === typed) return { value: typed, problems: asTyped.problems, unknown };
  if (Array.isArray(asTyped.value)) return { value: asTyped.value, problems: asTyped.problems, unknown };
  const value = convert(typed);
  const { problems } = readBack(path, value, present);
  // A limit that nobody keeps is worse than none.
  const noLimit = unknown && path[0] === 'limits' ? [`${path.join('.')} is not a limit`] : [];
  return { value, problems: [...problems, ...noLimit], unknown };
}

/** `true/yes/on`, `false/no/off`, whole numbers and decimals; everything else stays text. */
function convert(typed: string): JsonValue {
  const text = typed.trim();
  if (/^(true|yes|on|false|no|off)$/i.test(text)) return parseBoolean(text) ?? typed;
  // Leading zeros and numbers too long for a number (chat ids) are names, not amounts.
  if (/^-?(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  return /^-?(0|[1-9]\d*)?\.\d+$/.test(text) ? Number(text) : typed;
}

/** What the schema makes of a value at this key: text, a list of texts, or something else (`undefined`). */
function readBack(
  path: readonly string[],
  value: JsonValue,
  present: JsonObject,
): { value: string | string[] | undefined; problems: string[]; unknown: boolean } {
  const name = path[0];
  const within = path.some((_key, index) => Array.isArray(valueAt(present, path.slice(0, index))));
  const tree: JsonObject = {};
  if (within && name !== undefined) tree[name] = replaced(present[name], path.slice(1), value);
  else setAt(tree, path, value);
  const data = normaliseLegacy(tree);
  if (name === undefined || !isSectionName(name) || data[name] === undefined)
    return { value: undefined, problems: [], unknown: name?.startsWith('_') !== true };
  const dotted = path.join('.');
  // The other items of a list are not what was typed now.
  const typed = (key: string): boolean => !within || key === dotted || key.startsWith(`${dotted}.`);
  const { value: section, bad: all } = parseSection(name, data[name]);
  const bad = all.filter((item) => typed(item.path));
  const unknown = bad.length === 0 && unknownKeysOf(name, data[name]).some(typed);
  let current: unknown = section;
  for (const key of path.slice(1)) {
    current =
      typeof current === 'object' && current !== null
        ? new Map<string, unknown>(Object.entries(current)).get(key)
        : undefined;
  }
  const problems = bad.map((item) => `${item.path}: ${item.reason}`);
  if (typeof current === 'string') return { value: current, problems, unknown };
  const isTexts = Array.isArray(current) && current.every((item) => typeof item === 'string');
  return { value: isTexts && Array.isArray(current) ? current.map(String) : undefined, problems, unknown };
}

/** A copy with another value at that place; a place behind the end of a list is its next one. */
function replaced(tree: JsonValue | undefined, [key, ...below]: readonly string[], value: JsonValue): JsonValue {
  if (key === undefined) return value;
  if (!Array.isArray(tree)) {
    const map = isJsonObject(tree) ? tree : {};
    return { ...map, [key]: replaced(map[key], below, value) };
  }
  const index = /^\d+$/.test(key) ? Math.min(Number(key), tree.length) : tree.length;
  return [...tree.slice(0, index), replaced(tree[index], below, value), ...tree.slice(index + 1)];
}
