/** Reading and merging plain JSON trees by path. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Variables } from './variables.ts';

/** Maps merge key by key, lists and scalars of the higher layer replace. Neither argument is changed. */
export function deepMerge(lower: JsonObject, higher: JsonObject): JsonObject {
  const merged: JsonObject = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    const below = merged[key];
    merged[key] = isJsonObject(below) && isJsonObject(value) ? deepMerge(below, value) : value;
  }
  return merged;
}

/** The value at a path of keys, or `undefined`. */
export function valueAt(tree: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = tree;
  for (const key of path) {
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** Sets a value below `tree`, making maps on the way; a scalar in the way is replaced by a map. Changes `tree`. */
export function setAt(tree: JsonObject, path: readonly string[], value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let current = tree;
  for (const key of path.slice(0, -1)) {
    const next = current[key];
    if (isJsonObject(next)) {
      current = next;
      continue;
    }
    const made: JsonObject = {};
    current[key] = made;
    current = made;
  }
  current[last] = value;
}

/** Removes the value at a path (list items shift up). Changes `tree`; false when nothing was there. */
export function removeAt(tree: JsonValue, path: readonly string[]): boolean {
  const last = path.at(-1);
  const parent = valueAt(tree, path.slice(0, -1));
  if (last === undefined) return false;
  if (Array.isArray(parent)) return parent.splice(Number(last), 1).length > 0;
  if (!isJsonObject(parent) || !Object.hasOwn(parent, last)) return false;
  delete parent[last];
  return true;
}

/** Dotted paths of every leaf: scalars, lists and empty maps. */
export function leafPaths(tree: JsonObject, prefix: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...prefix, key];
    return isJsonObject(value) && Object.keys(value).length > 0 ? leafPaths(value, path) : [path.join('.')];
  });
}

/** A deep copy in which every string went through `change`. Keys, numbers and booleans are left alone. */
function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isJsonObject(value)) return value;
  return mapObject(value, change);
}

/** `mapStrings` for a map, keeping the type. */
export function mapObject(value: JsonObject, change: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

/** Replaces `${NAME}` by the variable's value; an unset name and a bare `$NAME` stay as they are. */
export function expandVariables(text: string, env: Variables): string {
  if (!text.includes('${')) return text;
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (placeholder, name: string) => env[name] ?? placeholder);
}

/** The same, where `${env:NAME}` may be written for `${NAME}`. */
export function expandNamedVariables(text: string, env: Variables): string {
  return text.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)\}/g, (written, name: string) => env[name] ?? written);
}
