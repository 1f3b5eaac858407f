/** Makes what a server calls a schema into one that providers take. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';

/** Deeper than this nobody means it: what is below counts as anything. */
const maxDepth = 40;
/** Whose members are named by whoever wrote the schema: a property may be called `definitions`. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Hold values, not schemas. */
const values: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example', 'required']);

/** The schema of a tool's arguments: always an object with `properties`. Its argument is not changed. */
export function mendSchema(written: unknown): JsonObject {
  if (!isJsonObject(written)) return { type: 'object', properties: {} };
  const mended = mendNode(written, 0);
  if (!isJsonObject(mended)) return { type: 'object', properties: {} };
  const { $schema: _, ...schema } = mended;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, type: 'object', properties };
}

function mendNode(node: JsonValue, depth: number): JsonValue {
  if (Array.isArray(node)) return depth > maxDepth ? [] : node.map((item) => mendNode(item, depth + 1));
  if (!isJsonObject(node)) return node;
  if (depth > maxDepth) return {};
  const schema = withoutNull(mendMembers(node, depth));
  return isJsonObject(schema) ? asObject(schema) : schema;
}

function mendMembers(node: JsonObject, depth: number): JsonObject {
  const mended: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') mended[key] = value.replace(/^#\/definitions\//, '#/$defs/');
    else if (key === 'definitions' && isJsonObject(value)) mended['$defs'] = mendNamed(value, depth);
    else if (named.has(key)) mended[key] = isJsonObject(value) ? mendNamed(value, depth) : {};
    else mended[key] = values.has(key) ? value : mendNode(value, depth + 1);
  }
  return mended;
}

function mendNamed(members: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mendNode(value, depth + 1)]));
}

/** Providers do not all know a union with null: its other branch says what a value is. */
function withoutNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    if (others.length === 1 && others.length < type.length) return { ...schema, type: others[0] ?? 'string' };
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
