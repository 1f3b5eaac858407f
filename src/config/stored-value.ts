/** Turns what was typed after `hermes config set KEY` into the value that is stored. */
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { parseBoolean } from './env-values.ts';
import { normaliseLegacy } from './legacy.ts';
import { parseSection } from './parse-config.ts';
import { isSectionName } from './schema.ts';
import { setAt } from './values.ts';

/**
 * Text for keys that take text, a list for keys that take lists; otherwise booleans and numbers are recognised.
 * `warnings` is what a load will say about the value.
 */
export function storedValue(path: readonly string[], typed: string): { value: JsonValue; warnings: string[] } {
  const asTyped = readBack(path, typed);
  if (asTyped.value === typed) return { value: typed, warnings: asTyped.warnings };
  if (Array.isArray(asTyped.value)) return { value: asTyped.value, warnings: asTyped.warnings };
  const value = convert(typed);
  return { value, warnings: readBack(path, value).warnings };
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
): { value: string | string[] | undefined; warnings: string[] } {
  const tree: JsonObject = {};
  setAt(tree, path, value);
  const data = normaliseLegacy(tree);
  const name = path[0];
  if (name === undefined || !isSectionName(name) || data[name] === undefined) return { value: undefined, warnings: [] };
  const { value: section, bad } = parseSection(name, data[name]);
  let current: unknown = section;
  for (const key of path.slice(1)) {
    current =
      typeof current === 'object' && current !== null
        ? new Map<string, unknown>(Object.entries(current)).get(key)
        : undefined;
  }
  const warnings = bad.map((item) => `config: ${item.path}: ${item.message}`);
  if (typeof current === 'string') return { value: current, warnings };
  const isTexts = Array.isArray(current) && current.every((item) => typeof item === 'string');
  return { value: isTexts && Array.isArray(current) ? current.map(String) : undefined, warnings };
}
