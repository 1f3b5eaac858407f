import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toGrammarSchema, withoutUnset } from '../../../src/models/local/function-schema.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';

test('what may be left out may be null, and what must be there keeps its type', () => {
  const schema = toGrammarSchema({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where' },
      limit: { type: 'integer', description: 'Lines' },
    },
    required: ['path'],
  });
  assert.deepEqual(schema['properties'], {
    path: { type: 'string', description: 'Where' },
    limit: { oneOf: [{ type: 'integer' }, { type: 'null' }], description: 'Lines' },
  });
});

test('choices, lists of types, references and types that nobody named are kept as wide as they are', () => {
  const schema = toGrammarSchema({
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
    properties: {
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
      mixed: { type: ['string', 'array'] },
      free: {},
      kind: { enum: ['a', 'b'] },
    },
    required: ['either', 'mixed', 'free', 'kind'],
  });
  const properties = schema['properties'];
  assert.ok(isJsonObject(properties));
  assert.deepEqual(properties['either'], { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] });
  assert.deepEqual(properties['kind'], { enum: ['a', 'b'] });
  assert.ok(isJsonObject(properties['free']) && Array.isArray(properties['free']['oneOf']));
});

test('a schema that refers to itself ends somewhere', () => {
  const schema = toGrammarSchema({
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    properties: { root: { $ref: '#/$defs/node' } },
  });
  assert.ok(JSON.stringify(schema).length < 20_000);
});

test('any schema becomes one of the known kind, and no reference is left in it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as JsonValue;
      const properties: JsonObject = { given: json };
      const schema = toGrammarSchema({ type: 'object', properties });
      assert.equal(schema['type'], 'object');
      assert.deepEqual(Object.keys(schema['properties'] ?? {}), ['given']);
    }),
  );
});

test('only the nulls that stand for "left out" are taken out', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      must: { type: ['string', 'null'] },
      may: { type: 'string' },
      list: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
      },
    },
    required: ['must'],
  };
  assert.deepEqual(
    withoutUnset(
      {
        must: null,
        may: null,
        list: [
          { a: 'x', b: null },
          { a: 'y', b: 'z' },
        ],
      },
      schema,
    ),
    {
      must: null,
      list: [{ a: 'x' }, { a: 'y', b: 'z' }],
    },
  );
});
