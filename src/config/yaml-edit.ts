/** Changes single keys of a YAML file through its syntax tree, so that comments, order and placeholders stay. */
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import type { JsonValue } from '../lib/json.ts';

/** A dotted key with its new value; `undefined` removes the key. */
export interface Change {
  readonly path: readonly string[];
  readonly value: JsonValue | undefined;
}

/** Applies changes to a parsed file and returns the new text. An empty document becomes a map. */
export async function applyChanges(document: Document, changes: readonly Change[]): Promise<string> {
  const yaml = await import('yaml');
  // Duplicate keys are tolerated on reading; the printer refuses a document that carries errors.
  document.errors.length = 0;
  for (const { path, value } of changes) {
    if (!yaml.isMap(document.contents)) document.contents = document.createNode({});
    if (yaml.isMap(document.contents)) change(document.contents, path, value);
  }
  return document.toString({ lineWidth: 0 });

  function change(map: YAMLMap, path: readonly string[], value: JsonValue | undefined): void {
    let current: YAMLMap | YAMLSeq = map;
    for (const key of path.slice(0, -1)) {
      const next: YAMLMap | YAMLSeq | undefined = collectionBelow(current, key, value !== undefined);
      if (next === undefined) return;
      current = next;
    }
    const last = path.at(-1);
    if (last === undefined) return;
    if (value === undefined) remove(current, last);
    else put(current, last, written(value));
  }

  /** The map or list under a key. An alias is replaced by a copy, or its source would change with it. */
  function collectionBelow(parent: YAMLMap | YAMLSeq, key: string, make: boolean): YAMLMap | YAMLSeq | undefined {
    const node = read(parent, key);
    if (yaml.isMap(node) || yaml.isSeq(node)) return node;
    if (!make && !yaml.isAlias(node)) return undefined;
    const copy: unknown = yaml.isAlias(node) ? node.resolve(document)?.toJS(document) : {};
    const made = document.createNode(copy ?? {});
    const replacement = yaml.isMap(made) || yaml.isSeq(made) ? made : document.createNode({});
    if (!yaml.isMap(replacement) && !yaml.isSeq(replacement)) return undefined;
    put(parent, key, replacement);
    return replacement;
  }

  function read(parent: YAMLMap | YAMLSeq, key: string): unknown {
    return yaml.isMap(parent) ? pairOf(parent, key)?.value : parent.items[Number(key)];
  }

  function put(parent: YAMLMap | YAMLSeq, key: string, node: Node): void {
    if (yaml.isSeq(parent)) {
      const { length } = parent.items;
      parent.set(/^\d+$/.test(key) ? Math.min(Number(key), length) : length, node);
      return;
    }
    const pair = pairOf(parent, key);
    if (pair === undefined) {
      parent.flow = parent.flow === true && parent.items.length > 0;
      parent.add(document.createPair(written(key), node));
      return;
    }
    const old = pair.value;
    if (yaml.isScalar(old) && yaml.isScalar(node)) {
      if (old.comment) node.comment = old.comment;
      if (old.commentBefore) node.commentBefore = old.commentBefore;
      if (old.spaceBefore) node.spaceBefore = true;
    }
    pair.value = node;
  }

  /** With quotes around what an older parser, such as that of the original, takes for something else: `on`, `12:30`. */
  function written(value: JsonValue): Node {
    const node = document.createNode(value);
    yaml.visit(node, {
      Scalar(_key, scalar) {
        // `y` and `n` are text for that parser too.
        if (typeof scalar.value !== 'string' || /\n|^[yn]$/i.test(scalar.value)) return;
        const quoted = /^["']/.test(yaml.stringify(scalar.value, { compat: 'yaml-1.1', lineWidth: 0 }));
        if (quoted) scalar.type = yaml.Scalar.QUOTE_DOUBLE;
      },
    });
    return node;
  }

  function remove(parent: YAMLMap | YAMLSeq, key: string): void {
    if (yaml.isSeq(parent)) parent.items.splice(Number(key), 1);
    else parent.items = parent.items.filter((pair) => keyText(pair) !== key);
  }

  /** The last pair of that name: with duplicate keys it is the one that counts. */
  function pairOf(map: YAMLMap, key: string): Pair | undefined {
    return map.items.findLast((pair) => keyText(pair) === key);
  }

  function keyText(pair: Pair): string {
    return yaml.isScalar(pair.key) ? String(pair.key.value) : '';
  }
}
