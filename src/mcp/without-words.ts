/** What is left of a schema when its words are withheld: what a call must look like, and nothing that could be read as orders. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';

/** Long enough for the names of arguments, too plain for sentences. */
const plainName = /^[\w.$-]{1,64}$/;
const types: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** What may stand behind a keyword; keywords that are not here are left out. */
const kept: Readonly<Record<string, (value: JsonValue) => JsonValue | undefined>> = {
  type: (value) =>
    types.has(value) || (Array.isArray(value) && value.every((one) => types.has(one))) ? value : undefined,
  properties: members,
  $defs: members,
  required: (value) => (Array.isArray(value) ? value.filter((name) => isPlain(name)) : undefined),
  $ref: (value) => (typeof value === 'string' && /^#\/\$defs\/[\w.$-]{1,64}$/.test(value) ? value : undefined),
  items: schemaOr,
  additionalProperties: schemaOr,
  not: schemaOr,
  prefixItems: branches,
  anyOf: branches,
  oneOf: branches,
  allOf: branches,
  enum: (value) => (Array.isArray(value) && value.every(isPlainValue) ? value : undefined),
  const: (value) => (isPlainValue(value) ? value : undefined),
  format: (value) => (isPlain(value) ? value : undefined),
  minimum: numberOnly,
  maximum: numberOnly,
  exclusiveMinimum: numberOnly,
  exclusiveMaximum: numberOnly,
  multipleOf: numberOnly,
  minLength: numberOnly,
  maxLength: numberOnly,
  minItems: numberOnly,
  maxItems: numberOnly,
  uniqueItems: (value) => (typeof value === 'boolean' ? value : undefined),
};

export function withoutWords(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    const left = Object.hasOwn(kept, key) ? kept[key]?.(value) : undefined;
    return left === undefined ? [] : [[key, left]];
  });
  return Object.fromEntries(entries);
}

function members(value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const named = Object.entries(value).filter(([name]) => isPlain(name));
  return Object.fromEntries(named.map(([name, member]) => [name, schemaOr(member) ?? {}]));
}

function schemaOr(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'boolean') return value;
  return isJsonObject(value) ? withoutWords(value) : undefined;
}

function branches(value: JsonValue): JsonValue | undefined {
  return Array.isArray(value) ? value.map((branch) => schemaOr(branch) ?? {}) : undefined;
}

function numberOnly(value: JsonValue): JsonValue | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isPlain(value: JsonValue): boolean {
  return typeof value === 'string' && plainName.test(value);
}

function isPlainValue(value: JsonValue): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean' || isPlain(value);
}
