/** JSON values as a type, and parsing that does not throw. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** The parsed value, or `undefined` when the text is not JSON (JSON itself has no `undefined`); `change` as in `JSON.parse`. */
export function parseJson(text: string, change?: (key: string, value: unknown) => unknown): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text, change);
    return value;
  } catch {
    // The caller asked whether it is JSON.
    return undefined;
  }
}

/** True for a JSON object; false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for values that are the same JSON, in whatever order their keys stand; what is undefined counts as absent. */
export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** No use of JSON here needs more; what goes through a value level by level has only so much stack. */
export const maxJsonDepth = 100;

/** True for text whose brackets open more than `maxJsonDepth` levels. Looks at the text alone, so nothing can overflow. */
export function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') {
      depth += 1;
      if (depth > maxJsonDepth) return true;
    } else if (char === ']' || char === '}') depth -= 1;
  }
  return false;
}
