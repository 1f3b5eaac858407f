/** Turns what was typed after `hermes config set KEY` into the value that is stored. */
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { parseBoolean } from './env-values.ts';
import { normaliseLegacy } from './legacy.ts';
import { parseSection, unknownKeysOf } from './parse-config.ts';
import { isSectionName } from './schema.ts';
import { setAt } from './values.ts';

export interface StoredValue {
  readonly value: JsonValue;
  /** Why the value cannot be used, with the key; nobody may store it then. */
  readonly problems: readonly string[];
  /** Nothing reads this key. */
  readonly unknown: boolean;
}

/**
 * Text for keys that take text, a list for keys that take lists; otherwise booleans and numbers are recognised.
 */
export function storedValue(path: readonly string[], typed: string): StoredValue {
  if (path.join('.') === 'model.default' && /^(-?[\d.]+|true|false|yes|no|on|off|null|~)?$/i.test(typed.trim())) {
    return { value: typed, problems: [`model.default: '${typed}' is not the name of a model`], unknown: false };
  }
  const asTyped = readBack(path, typed);
  const { unknown } = asTyped;
  if (asTyped.value === typed) return { value: typed, problems: asTyped.problems, unknown };
  if (Array.isArray(asTyped.value)) return { value: asTyped.value, problems: asTyped.problems, unknown };
  const value = convert(typed);
  const { problems } = readBack(path, value);
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
): { value: string | string[] | undefined; problems: string[]; unknown: boolean } {
  const tree: JsonObject = {};
  setAt(tree, path, value);
  const data = normaliseLegacy(tree);
  const name = path[0];
  if (name === undefined || !isSectionName(name) || data[name] === undefined)
    return { value: undefined, problems: [], unknown: name?.startsWith('_') !== true };
  const { value: section, bad } = parseSection(name, data[name]);
  const unknown = bad.length === 0 && unknownKeysOf(name, data[name]).length > 0;
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
