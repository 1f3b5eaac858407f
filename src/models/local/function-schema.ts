/** Parameters of tools in the part of JSON Schema that the binding makes a grammar of. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

const maxDepth = 24;
const plainTypes: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);
const formats: ReadonlySet<string> = new Set(['date-time', 'time', 'date']);
const anything: JsonObject = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

/**
 * The schema as the binding knows it. Its grammar makes the model write every property, so the ones that may be left
 * out may be null here; `withoutUnset` takes those out again. What cannot be said becomes wider, never narrower.
 */
export function toGrammarSchema(parameters: JsonObject): JsonObject {
  const schema = convert(parameters, parameters, 0);
  return schema['type'] === 'object' ? schema : { type: 'object', properties: {} };
}

/** The arguments without the nulls that stand for "left out". */
export function withoutUnset(value: JsonValue, schema: JsonValue | undefined, root = schema): JsonValue {
  const described = resolveReference(schema, root);
  if (Array.isArray(value)) return value.map((item) => withoutUnset(item, described['items'], root));
  if (!isJsonObject(value)) return value;
  const properties = isJsonObject(described['properties']) ? described['properties'] : {};
  const required = requiredIn(described);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null || required.has(name) || properties[name] === undefined,
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutUnset(item, properties[name], root)]));
}

function convert(given: JsonValue | undefined, root: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return anything;
  const schema = resolveReference(given, root);
  const description = typeof schema['description'] === 'string' ? { description: schema['description'] } : {};
  return { ...shapeOf(schema, root, depth), ...description };
}

function shapeOf(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const choices = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(choices) && choices.length > 0) {
    return { oneOf: choices.map((choice) => convert(choice, root, depth + 1)) };
  }
  if (isLiteral(schema['const'])) return { const: schema['const'] };
  const listed = Array.isArray(schema['enum']) ? schema['enum'].filter(isLiteral) : [];
  if (listed.length > 0) return { enum: listed };
  const type = schema['type'] ?? (isJsonObject(schema['properties']) ? 'object' : undefined);
  if (Array.isArray(type)) return severalTypes(type, schema, root, depth);
  switch (type) {
    case 'object':
      return objectShape(schema, root, depth);
    case 'array':
      return {
        type,
        items: schema['items'] === undefined ? anything : convert(schema['items'], root, depth + 1),
        ...numbers(schema, 'minItems', 'maxItems'),
      };
    case 'string': {
      const format = schema['format'];
      if (typeof format === 'string' && formats.has(format)) return { type, format };
      return { type, ...numbers(schema, 'minLength') };
    }
    default:
      return typeof type === 'string' && plainTypes.has(type) ? { type } : anything;
  }
}

function severalTypes(types: readonly JsonValue[], schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const named = types.filter((type) => typeof type === 'string');
  const plain = named.filter((type) => plainTypes.has(type));
  if (plain.length === named.length) return plain.length === 0 ? anything : { type: plain };
  return { oneOf: named.map((type) => shapeOf({ ...schema, type }, root, depth + 1)) };
}

function objectShape(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const required = requiredIn(schema);
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const open = schema['additionalProperties'];
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map(([name, property]) => {
        const shape = convert(property, root, depth + 1);
        return [name, required.has(name) ? shape : orNull(shape)];
      }),
    ),
    ...(isJsonObject(open)
      ? { additionalProperties: convert(open, root, depth + 1) }
      : { additionalProperties: open === true || (open === undefined && properties.length === 0 && depth > 0) }),
  };
}

function orNull(shape: JsonObject): JsonObject {
  const { description, ...rest } = shape;
  const words = description === undefined ? {} : { description };
  return { oneOf: [rest, { type: 'null' }], ...words };
}

/** Follows `#/…` references; one that leads nowhere allows anything. */
function resolveReference(schema: JsonValue | undefined, root: JsonValue | undefined): JsonObject {
  let current = schema;
  for (let steps = 0; steps < 8; steps += 1) {
    if (!isJsonObject(current)) return {};
    const reference = current['$ref'];
    if (typeof reference !== 'string') return current;
    if (!reference.startsWith('#/')) return {};
    let target = root;
    for (const part of reference.slice(2).split('/')) target = isJsonObject(target) ? target[part] : undefined;
    current = target;
  }
  return {};
}

function requiredIn(schema: JsonObject): ReadonlySet<JsonValue> {
  return new Set(Array.isArray(schema['required']) ? schema['required'] : []);
}

function numbers(schema: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = schema[name];
      // A long minimum makes a grammar of thousands of rules; the tool checks its arguments anyway.
      return typeof value === 'number' && value <= 32 ? [[name, value] as const] : [];
    }),
  );
}

function isLiteral(value: JsonValue | undefined): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
