/** Models send strings for numbers, booleans and lists; this mends what converts without guessing. */
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../lib/json.ts';

/**
 * Arguments with each value converted to the type its schema asks for, where that is possible without loss;
 * anything else is passed as it is and left to the schema check. A `null` for an optional argument is dropped.
 * Text arguments are never touched.
 */
export function coerceArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(args)) {
    if (value === null && !required.includes(key)) continue;
    const property = properties[key];
    result[key] = isJsonObject(property) ? coerceValue(value, property) : value;
  }
  return result;
}

function coerceValue(value: JsonValue, schema: JsonObject): JsonValue {
  for (const type of acceptedTypes(schema)) {
    const converted = convert(value, type, schema);
    if (converted !== undefined) return converted;
  }
  return value;
}

function acceptedTypes(schema: JsonObject): string[] {
  const own =
    typeof schema['type'] === 'string' ? [schema['type']] : Array.isArray(schema['type']) ? schema['type'] : [];
  const union = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isJsonObject).flatMap(acceptedTypes) : [];
  return [...own, ...union].filter((type): type is string => typeof type === 'string');
}

/** The value as `type`, or `undefined` when it does not convert. */
function convert(value: JsonValue, type: string, schema: JsonObject): JsonValue | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'integer':
      return toNumber(value, /^[+-]?\d+(?:\.0+)?$/);
    case 'number':
      return toNumber(value, /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i);
    case 'boolean':
      return toBoolean(value);
    case 'array':
      return toArray(value, schema);
    case 'object':
      return toObject(value);
    default:
      return undefined;
  }
}

function toNumber(value: JsonValue, pattern: RegExp): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && pattern.test(value.trim()) ? Number(value) : undefined;
}

function toBoolean(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : undefined;
}

function toArray(value: JsonValue, schema: JsonObject): JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  const parsed = parseJson(value);
  if (Array.isArray(parsed)) return parsed;
  const items = schema['items'];
  return isJsonObject(items) && items['type'] === 'string' ? [value] : undefined;
}

function toObject(value: JsonValue): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isJsonObject(parsed) ? parsed : undefined;
}
