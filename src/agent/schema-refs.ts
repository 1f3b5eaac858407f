/** What a schema says by pointing elsewhere, or in several branches, where providers take neither. */
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';

const maxHops = 8;
/** Hold values, in which a `$ref` is none. */
const values: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);
/** Hold schemas by names that anybody may choose. */
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/**
 * The schema of arguments without what providers refuse at its root: what it points to stands in its place, and the properties of
 * its branches beside its own. Only those of `allOf` can be required.
 */
export function liftedRoot(root: JsonObject): JsonObject {
  let schema = root;
  for (let hop = 0; typeof schema['$ref'] === 'string' && hop < maxHops; hop += 1) {
    const { $ref, ...rest } = schema;
    schema = { ...resolve(root, $ref), ...rest };
  }
  const { allOf, anyOf, oneOf, enum: _, not: __, $ref: ___, ...rest } = schema;
  const branches = [allOf, anyOf, oneOf].flatMap((list, at) =>
    (Array.isArray(list) ? list : []).flatMap((branch) => {
      const target = followed(root, branch);
      return target === undefined ? [] : [{ target, isSure: at === 0 }];
    }),
  );
  if (branches.length === 0) return rest;
  const properties = Object.assign({}, ...branches.map(({ target }) => objectOf(target['properties'])).toReversed());
  const required = branches.flatMap(({ target: { required: names }, isSure }) =>
    isSure && Array.isArray(names) ? names : [],
  );
  const own = Array.isArray(rest['required']) ? rest['required'] : [];
  return {
    ...rest,
    properties: { ...properties, ...objectOf(rest['properties']) },
    required: [...new Set([...own, ...required])],
  };
}

/** What points outside of this schema, or to nothing in it, says nothing. */
export function withKnownRefs(root: JsonObject): JsonObject {
  return objectOf(knownIn(root, root));
}

function knownIn(root: JsonObject, node: JsonValue, isNamed = false): JsonValue {
  if (Array.isArray(node)) return node.map((item) => knownIn(root, item));
  if (!isJsonObject(node)) return node;
  if (isNamed) return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, knownIn(root, value)]));
  const { $ref } = node;
  const entries = Object.entries(node).flatMap(([key, value]): [string, JsonValue][] => {
    if (key !== '$ref' || typeof value !== 'string') {
      // Some providers take no default beside a pointer.
      if (key === 'default' && typeof $ref === 'string') return [];
      return [[key, values.has(key) ? value : knownIn(root, value, named.has(key))]];
    }
    const local = inPlace(value);
    return resolve(root, local) === undefined ? [] : [[key, local]];
  });
  return Object.fromEntries(entries);
}

function followed(root: JsonObject, branch: JsonValue): JsonObject | undefined {
  if (!isJsonObject(branch)) return undefined;
  const { $ref } = branch;
  return typeof $ref === 'string' ? resolve(root, $ref) : branch;
}

function inPlace(ref: string): string {
  return ref.replace(/^#\/definitions\//, '#/$defs/');
}

/** https://www.rfc-editor.org/rfc/rfc6901 */
function resolve(root: JsonObject, ref: string): JsonObject | undefined {
  if (!ref.startsWith('#')) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of inPlace(ref).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
