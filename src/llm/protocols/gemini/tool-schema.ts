/** JSON Schemas of tools in the subset that Gemini accepts: https://ai.google.dev/api/caching#Schema */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { percentDecoded } from '../../../lib/percent.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';

/** Deeper nesting ends in an object of any shape. */
const maxDepth = 16;
/** A schema whose references multiply is cut here. */
const maxNodes = 2000;

/** Undefined for a function without parameters: Gemini refuses an object without properties there. */
export function toGeminiSchema(schema: JsonObject): JsonObject | undefined {
  const converted = new Converter(schema).convert(schema, 0);
  const properties = objectOf(converted['properties']);
  return converted['type'] === 'OBJECT' && properties !== undefined ? converted : undefined;
}

const types: ReadonlyMap<string, string> = new Map([
  ['string', 'STRING'],
  ['number', 'NUMBER'],
  ['integer', 'INTEGER'],
  ['boolean', 'BOOLEAN'],
  ['array', 'ARRAY'],
  ['object', 'OBJECT'],
]);

const formats: ReadonlyMap<string, readonly string[]> = new Map([
  ['STRING', ['date-time']],
  ['NUMBER', ['float', 'double']],
  ['INTEGER', ['int32', 'int64']],
]);

/** Fields that are passed on when their value is of the kind that the format asks for. */
const bounds: ReadonlyMap<string, readonly string[]> = new Map([
  ['STRING', ['minLength', 'maxLength']],
  ['NUMBER', ['minimum', 'maximum']],
  ['INTEGER', ['minimum', 'maximum']],
  ['ARRAY', ['minItems', 'maxItems']],
]);

class Converter {
  readonly #root: JsonObject;
  #nodes = 0;
  /** The references that we are in: one that comes again would never end. */
  readonly #open: string[] = [];

  constructor(root: JsonObject) {
    this.#root = root;
  }

  convert(value: JsonValue | undefined, depth: number): JsonObject {
    if (depth > maxDepth || this.#nodes > maxNodes) return { type: 'OBJECT' };
    const outside = this.#open.length;
    const schema = this.#resolve(isJsonObject(value) ? value : {}, 0);
    const converted = this.#convertResolved(schema, depth);
    this.#open.length = outside;
    return converted;
  }

  #convertResolved(schema: JsonObject, depth: number): JsonObject {
    const nullable = acceptsNull(schema);
    const named = namedTypes(schema);
    const result =
      named.length === 1 || !hasChoices(schema)
        ? this.#convertTyped(schema, named, depth)
        : this.#convertChoices(schema, depth);
    return nullable ? withNull(result) : result;
  }

  #convertTyped(schema: JsonObject, named: readonly string[], depth: number): JsonObject {
    if (named.length > 1) {
      const members = named.map((type) => this.#convertAs({ ...schema, description: '' }, type, depth));
      return { ...description(schema), anyOf: members };
    }
    return this.#convertAs(schema, named[0] ?? inferType(schema), depth);
  }

  #convertAs(schema: JsonObject, type: string, depth: number): JsonObject {
    const result: JsonObject = { type, ...describe(schema, type) };
    const format = stringOf(schema['format']);
    if (formats.get(type)?.includes(format) === true) result['format'] = format;
    for (const field of bounds.get(type) ?? []) {
      const bound = schema[field];
      if (typeof bound === 'number' && isBound(field, bound)) result[field] = bound;
    }
    if (type === 'STRING') Object.assign(result, stringFields(schema));
    if (type === 'ARRAY') result['items'] = this.#items(schema, depth);
    if (type === 'OBJECT') Object.assign(result, this.#objectFields(schema, depth));
    return result;
  }

  /** `anyOf` must stand alone there, but for the description. */
  #convertChoices(schema: JsonObject, depth: number): JsonObject {
    const members = choicesOf(schema)
      .filter((member) => !isNull(member))
      .map((member) => this.convert(member, depth + 1));
    const [only, ...others] = members;
    if (only === undefined) return { type: 'STRING', ...description(schema) };
    if (others.length === 0) return { ...only, ...description(schema) };
    return { ...description(schema), anyOf: members };
  }

  #items(schema: JsonObject, depth: number): JsonObject {
    const items = schema['items'];
    const tuple = Array.isArray(items) ? items : listOf(schema['prefixItems']);
    if (isJsonObject(items)) return this.convert(items, depth + 1);
    return tuple.length === 0 ? { type: 'STRING' } : this.convert({ anyOf: [...tuple] }, depth + 1);
  }

  #objectFields(schema: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(objectOf(schema['properties']) ?? {}).filter(([name]) => name !== '');
    if (entries.length === 0) return {};
    const properties = Object.fromEntries(entries.map(([name, member]) => [name, this.convert(member, depth + 1)]));
    const required = [...new Set(listOf(schema['required']))].filter(
      (name) => typeof name === 'string' && Object.hasOwn(properties, name),
    );
    return { properties, ...(required.length === 0 ? {} : { required }) };
  }

  /** The schema with its reference and its `allOf` put in their place; what stands beside a reference wins. */
  #resolve(schema: JsonObject, depth: number): JsonObject {
    this.#nodes += 1;
    if (depth > maxDepth || this.#nodes > maxNodes) return {};
    const { $ref: reference, allOf: all, ...own } = schema;
    const target = typeof reference === 'string' ? this.#enter(reference) : undefined;
    const parts = [target, ...listOf(all).map(objectOf)].flatMap((part) =>
      part === undefined ? [] : [this.#resolve(part, depth + 1)],
    );
    return parts.length === 0 ? own : merge([...parts, own]);
  }

  /** What a reference leads to; only its type and description when we come from there. */
  #enter(reference: string): JsonObject | undefined {
    const target = this.#find(reference);
    if (target === undefined) return undefined;
    if (this.#open.includes(reference)) return { type: target['type'] ?? 'object', ...description(target) };
    this.#open.push(reference);
    return target;
  }

  /** Pointers into the schema itself; nothing is fetched. */
  #find(reference: string): JsonObject | undefined {
    if (!reference.startsWith('#')) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const step of reference
      .slice(1)
      .split('/')
      .filter((part) => part !== '')) {
      const key = decode(step);
      const holder: JsonObject | undefined = objectOf(found);
      found = holder !== undefined && Object.hasOwn(holder, key) ? holder[key] : undefined;
    }
    return objectOf(found);
  }
}

function merge(parts: readonly JsonObject[]): JsonObject {
  const merged: JsonObject = Object.assign({}, ...parts);
  const properties = parts.flatMap((part) => Object.entries(objectOf(part['properties']) ?? {}));
  const required = parts.flatMap((part) => listOf(part['required']));
  if (properties.length > 0) merged['properties'] = Object.fromEntries(properties);
  if (required.length > 0) merged['required'] = required;
  return merged;
}

function decode(step: string): string {
  return percentDecoded(step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The types other than null, in Gemini's words. */
function namedTypes(schema: JsonObject): string[] {
  const type = schema['type'];
  const written = typeof type === 'string' ? [type] : listOf(type);
  const named = written.flatMap((name) => types.get(stringOf(name).toLowerCase()) ?? []);
  return [...new Set(named)];
}

function inferType(schema: JsonObject): string {
  if (isJsonObject(schema['properties']) || isJsonObject(schema['additionalProperties'])) return 'OBJECT';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'ARRAY';
  const value = schema['const'] ?? listOf(schema['enum'])[0];
  if (typeof value === 'boolean') return 'BOOLEAN';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'INTEGER' : 'NUMBER') : 'STRING';
}

function hasChoices(schema: JsonObject): boolean {
  return choicesOf(schema).length > 0;
}

function choicesOf(schema: JsonObject): readonly JsonObject[] {
  const listed = listOf(schema['anyOf']);
  return (listed.length > 0 ? listed : listOf(schema['oneOf'])).filter(isJsonObject);
}

function acceptsNull(schema: JsonObject): boolean {
  return (
    schema['nullable'] === true ||
    isNull(schema) ||
    listOf(schema['type']).includes('null') ||
    choicesOf(schema).some(isNull)
  );
}

function isNull(schema: JsonObject): boolean {
  return schema['type'] === 'null';
}

function withNull(schema: JsonObject): JsonObject {
  if (schema['anyOf'] === undefined) return { ...schema, nullable: true };
  return {
    ...schema,
    anyOf: listOf(schema['anyOf']).flatMap((member) => (isJsonObject(member) ? [withNull(member)] : [])),
  };
}

function description(schema: JsonObject): JsonObject {
  const text = stringOf(schema['description']);
  return text === '' ? {} : { description: text };
}

/** Gemini knows lists of allowed strings only; allowed numbers are told in words. */
function describe(schema: JsonObject, type: string): JsonObject {
  const allowed = allowedValues(schema).filter((value) => typeof value === 'number');
  if (allowed.length === 0 || (type !== 'INTEGER' && type !== 'NUMBER')) return description(schema);
  const list = `One of: ${allowed.join(', ')}.`;
  const text = stringOf(schema['description']);
  return { description: text === '' ? list : `${text} ${list}` };
}

function stringFields(schema: JsonObject): JsonObject {
  const allowed = [...new Set(allowedValues(schema))].filter((value) => typeof value === 'string' && value !== '');
  const pattern = stringOf(schema['pattern']);
  return {
    ...(allowed.length === 0 ? {} : { enum: allowed }),
    // Google's engine knows no look-around and no back references.
    ...(pattern === '' || /\(\?[=!<]|\\[1-9k]/.test(pattern) ? {} : { pattern }),
  };
}

function allowedValues(schema: JsonObject): readonly JsonValue[] {
  return schema['const'] === undefined ? listOf(schema['enum']) : [schema['const']];
}

/** Lengths are whole numbers of 64 bits there. */
function isBound(field: string, bound: number): boolean {
  if (field === 'minimum' || field === 'maximum') return Number.isFinite(bound);
  return Number.isSafeInteger(bound) && bound >= 0;
}
