/** Models send strings for numbers, booleans and lists; this mends what converts without guessing. */
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../lib/json.ts';

/**
 * Arguments with each value converted to the type its schema asks for, inside of lists and objects too, where that is
 * possible without loss; anything else is passed as it is and left to the schema check. A `null` for an optional
 * argument is dropped. Text arguments are never touched.
 */
export function coerceArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const given = Object.entries(args).filter(([key, value]) => value !== null || required.includes(key));
  return coerceProperties(Object.fromEntries(given), schema);
}

function coerceProperties(value: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const result: JsonObject = {};
  for (const [key, property] of Object.entries(value)) {
    const known = properties[key];
    result[key] = isJsonObject(known) ? coerceValue(property, known) : property;
  }
  return result;
}

function coerceValue(value: JsonValue, schema: JsonObject): JsonValue {
  const types = acceptedTypes(schema);
  if (types.includes('null') && isWordNull(value)) return null;
  for (const type of types) {
    const converted = convert(value, type);
    if (converted !== undefined) return coerceInside(converted, schema);
  }
  // One thing where several are asked for is a list of one.
  return types.includes('array') && value !== null ? coerceInside([value], schema) : value;
}

function coerceInside(value: JsonValue, schema: JsonObject): JsonValue {
  if (isJsonObject(value)) return coerceProperties(value, schema);
  const { items } = schema;
  return Array.isArray(value) && isJsonObject(items) ? value.map((item) => coerceValue(item, items)) : value;
}

function acceptedTypes(schema: JsonObject): string[] {
  const own =
    typeof schema['type'] === 'string' ? [schema['type']] : Array.isArray(schema['type']) ? schema['type'] : [];
  const union = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isJsonObject).flatMap(acceptedTypes) : [];
  return [...own, ...union].filter((type): type is string => typeof type === 'string');
}

/** The value as `type`, or `undefined` when it does not convert. */
function convert(value: JsonValue, type: string): JsonValue | undefined {
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
      return toArray(value);
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

function toArray(value: JsonValue): JsonValue[] | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(parsed) ? parsed : undefined;
}

function toObject(value: JsonValue): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isJsonObject(parsed) ? parsed : undefined;
}

function isWordNull(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim().toLowerCase() === 'null';
}
