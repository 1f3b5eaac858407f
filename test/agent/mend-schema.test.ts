/** Schemas that lie, of servers and plug-ins: whatever they say, a provider takes what is made of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mendSchema } from '../../src/agent/mend-schema.ts';

const none = { type: 'object', properties: {} };
const propertyOf = (written: unknown) => mendSchema({ properties: { a: written } })['properties'];
const refs = (properties: object, more = {}) => mendSchema({ type: 'object', properties, ...more })['properties'];

test('what is no object with properties is one without any', () => {
  for (const written of ['text', [], 7, null, undefined, { type: 'array' }, { type: 'banana' }, { properties: 'x' }])
    assert.deepEqual(mendSchema(written), none);
  assert.deepEqual(mendSchema({ $schema: 'http://a.test/x', type: ['object', 'null'], required: ['a'] }), none);
});

test('a word that is a type means that type, and what means nothing is anything', () => {
  assert.deepEqual(propertyOf('string'), { a: { type: 'string' } });
  assert.deepEqual(propertyOf('object'), { a: none });
  for (const written of ['banana', 7, null, true, ['string'], { type: 'banana' }, { type: [] }, { type: 7 }])
    assert.deepEqual(propertyOf(written), { a: {} }, JSON.stringify(written));
  assert.deepEqual(propertyOf({ type: ['string', 'banana', 'null'] }), { a: { type: 'string' } });
  assert.deepEqual(propertyOf({ type: ['string', 'number'] }), { a: { type: ['string', 'number'] } });
});

test('a keyword with a value that it cannot have is left out, and the others stay', () => {
  const odd = { minimum: 'x', maxLength: null, pattern: '(', format: 5, enum: 'x', anyOf: [], oneOf: 'y', not: true };
  assert.deepEqual(propertyOf({ type: 'string', ...odd, description: 'Words' }), {
    a: { type: 'string', description: 'Words' },
  });
  const sound = { minLength: 1, pattern: '^[a-z]+$', format: 'uri', enum: ['a'], default: { $ref: 'data' } };
  assert.deepEqual(propertyOf({ type: 'string', ...sound }), { a: { type: 'string', ...sound } });
  assert.deepEqual(propertyOf({ type: 'object', additionalProperties: 'no' }), { a: none });
  assert.deepEqual(propertyOf({ type: 'object', additionalProperties: 'string' }), {
    a: { ...none, additionalProperties: { type: 'string' } },
  });
  assert.deepEqual(propertyOf({ type: 'object', additionalProperties: false }), {
    a: { ...none, additionalProperties: false },
  });
  assert.deepEqual(propertyOf({ type: 'array' }), { a: { type: 'array', items: {} } });
  assert.deepEqual(propertyOf({ type: 'array', items: 'string' }), { a: { type: 'array', items: { type: 'string' } } });
});

test('what points out of the schema, or to nothing, is anything; what points into it stays', () => {
  const odd = { a: { $ref: '#/definitions/Nope' }, b: { $ref: 'https://a.test/x.json' }, c: { $ref: 5 } };
  assert.deepEqual(refs({ ...odd, default: { $ref: '#/x' } }), { a: {}, b: {}, c: {}, default: {} });
  const Place = { type: 'object', properties: { in: { $ref: '#/$defs/Place' } } };
  assert.deepEqual(
    refs({ a: { $ref: '#/definitions/Place', default: null }, b: { $ref: '#' } }, { definitions: { Place } }),
    {
      a: { $ref: '#/$defs/Place' },
      b: { $ref: '#' },
    },
  );
});

test('arguments in branches, or behind a pointer, stand at the root, where providers want them', () => {
  const a = { a: { type: 'string' } };
  const b = { b: { type: 'number' } };
  const branches = [{ type: 'object', properties: a, required: ['a'] }, { $ref: '#/$defs/B' }, { type: 'null' }];
  const $defs = { B: { type: 'object', properties: b, required: ['b'] } };
  assert.deepEqual(mendSchema({ oneOf: branches, $defs }), { type: 'object', properties: { ...a, ...b }, $defs });
  assert.deepEqual(mendSchema({ allOf: branches, $defs }), {
    type: 'object',
    properties: { ...a, ...b },
    required: ['a', 'b'],
    $defs,
  });
  assert.deepEqual(mendSchema({ $ref: '#/$defs/B', $defs }), { ...$defs.B, $defs });
  assert.deepEqual(mendSchema({ $ref: '#' }), none);
  assert.deepEqual(mendSchema({ type: 'object', properties: a, not: {}, enum: [1] }), {
    type: 'object',
    properties: a,
  });
});

test('a schema without end has one', () => {
  let deep: object = { type: 'string' };
  for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'object', properties: { a: deep } };
  assert.ok(JSON.stringify(mendSchema(deep)).length < 5000);
});
