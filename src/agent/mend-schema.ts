/** Makes what servers and plug-ins call a schema into one that providers take: one wrong tool must not fail every request. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { liftedRoot, withKnownRefs } from './schema-refs.ts';

/** Deeper than this nobody means it: what is below counts as anything. */
const maxDepth = 40;
const types: ReadonlySet<unknown> = new Set(['object', 'string', 'number', 'integer', 'boolean', 'array', 'null']);

type Kind = 'schema' | 'schemas' | 'named' | 'value' | 'number' | 'text' | 'list';

/** What stands behind a keyword; what stands behind others is mended like a schema where it looks like one. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...kind('schema', 'items additionalProperties additionalItems unevaluatedProperties unevaluatedItems'),
  ...kind('schema', 'not if then else contains propertyNames contentSchema'),
  ...kind('schemas', 'anyOf oneOf allOf prefixItems'),
  // Their members are named by whoever wrote the schema: a property may be called `definitions`.
  ...kind('named', 'properties patternProperties $defs dependentSchemas'),
  ...kind('value', 'default const examples example required'),
  ...kind('number', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength'),
  ...kind('number', 'minItems maxItems minProperties maxProperties'),
  ...kind('text', 'description title format pattern $ref'),
  ...kind('list', 'enum'),
]);
/** May be a mere yes or no. */
const mayBeBoolean: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);

/** The schema of a tool's arguments: always an object with `properties`. Its argument is not changed. */
export function mendSchema(written: unknown): JsonObject {
  if (!isJsonObject(written)) return { type: 'object', properties: {} };
  const { $schema: _, items: __, ...schema } = withKnownRefs(liftedRoot(mendNode(written, 0)));
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return asObject({ ...schema, type: 'object', properties });
}

/** What stands where a schema belongs. */
function mendNode(node: JsonValue, depth: number): JsonObject {
  if (types.has(node)) return asObject({ type: node });
  if (!isJsonObject(node) || depth > maxDepth) return {};
  return asObject(withItems(withoutNull(withKnownTypes(mendMembers(node, depth)))));
}

function mendMembers(node: JsonObject, depth: number): JsonObject {
  const members = Object.entries(node).flatMap(([key, value]): [string, JsonValue][] => {
    const name = key === 'definitions' ? '$defs' : key;
    const mended = mendMember(name, value, depth);
    return mended === undefined ? [] : [[name, mended]];
  });
  return Object.fromEntries(members);
}

/** Undefined: the keyword says nothing that could be meant. */
function mendMember(key: string, value: JsonValue, depth: number): JsonValue | undefined {
  switch (kinds.get(key)) {
    case 'schema':
      if (typeof value === 'boolean') return mayBeBoolean.has(key) ? value : undefined;
      // An older way to write a tuple.
      if (key === 'items' && Array.isArray(value)) return value.map((item) => mendNode(item, depth + 1));
      return isJsonObject(value) || types.has(value) ? mendNode(value, depth + 1) : undefined;
    case 'schemas': {
      const all = Array.isArray(value) ? value.map((item) => mendNode(item, depth + 1)) : [];
      return all.length === 0 ? undefined : all;
    }
    case 'named':
      return isJsonObject(value) ? mendNamed(value, depth) : {};
    case 'value':
      return value;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'text':
      return typeof value === 'string' && (key !== 'pattern' || isPattern(value)) ? value : undefined;
    case 'list':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case undefined:
      return isJsonObject(value) ? mendNode(value, depth + 1) : value;
  }
}

function mendNamed(members: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mendNode(value, depth + 1)]));
}

function withKnownTypes(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (type === undefined || types.has(type)) return schema;
  const known = Array.isArray(type) ? type.filter((one) => types.has(one)) : [];
  return known.length === 0 ? rest : { ...schema, type: known };
}

/** Providers do not all know a union with null: its other branch says what a value is. */
function withoutNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    if (others.length === 1) return { ...schema, type: others[0] ?? 'string' };
  }
  for (const key of ['anyOf', 'oneOf']) {
    const { [key]: branches, ...rest } = schema;
    if (!Array.isArray(branches)) continue;
    const others = branches.filter((branch) => !(isJsonObject(branch) && branch['type'] === 'null'));
    const [only] = others;
    if (others.length === 1 && others.length < branches.length && isJsonObject(only)) return { ...only, ...rest };
  }
  return schema;
}

/** Some providers refuse a list that does not say of what. */
function withItems(schema: JsonObject): JsonObject {
  return schema['type'] === 'array' && schema['items'] === undefined ? { ...schema, items: {} } : schema;
}

function asObject(schema: JsonObject): JsonObject {
  const isObject = schema['type'] === 'object' || (schema['type'] === undefined && isJsonObject(schema['properties']));
  if (!isObject) return schema;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const { required, ...rest } = schema;
  const known = Array.isArray(required)
    ? required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  return { ...rest, type: 'object', properties, ...(known.length === 0 ? {} : { required: known }) };
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function kind(of: Kind, keywords: string): readonly (readonly [string, Kind])[] {
  return keywords.split(' ').map((keyword) => [keyword, of] as const);
}
