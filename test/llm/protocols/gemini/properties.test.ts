/** Whatever the history and the tools: a request that Gemini accepts; whatever comes back: an answer or one error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { ModelError } from '../../../../src/llm/model-error.ts';
import type { ModelEvent } from '../../../../src/llm/protocol.ts';
import { GeminiGenerate } from '../../../../src/llm/protocols/gemini/generate.ts';
import { geminiRequestBody } from '../../../../src/llm/protocols/gemini/request-body.ts';
import { toGeminiSchema } from '../../../../src/llm/protocols/gemini/tool-schema.ts';
import { geminiProblems, schemaProblems } from '../../../fakes/gemini-rules.ts';
import { partsChunk, sse, startGeminiServer, textChunk } from '../../../fakes/gemini-server.ts';
import { ask, requestOf } from '../ask.ts';
import { histories } from '../../histories.ts';

const baseUrls = fc.constantFrom(
  'https://generativelanguage.googleapis.com/v1beta',
  'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/google',
);
const models = fc.constantFrom('gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-3-pro-preview');

test('every repaired history becomes a request that the rules accept', () => {
  fc.assert(
    fc.property(histories, baseUrls, models, (messages, baseUrl, model) => {
      const body = geminiRequestBody(requestOf({ model, messages }), { provider: 'gemini', baseUrl });
      assert.deepEqual(geminiProblems(JSON.parse(JSON.stringify(body))), []);
    }),
    { numRuns: 300 },
  );
});

const schemas = fc.letrec<{ schema: JsonObject; leaf: JsonObject; list: JsonObject[] }>((tie) => ({
  list: fc.array(fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, tie('leaf'), tie('schema')), { maxLength: 2 }),
  leaf: fc.constantFrom<JsonObject[]>(
    {},
    { type: 'string' },
    { type: 'null' },
    { $ref: '#/$defs/tree' },
    { $ref: '#' },
  ),
  schema: fc.record(
    {
      type: fc.constantFrom(
        'string',
        'number',
        'integer',
        'boolean',
        'array',
        'object',
        'null',
        'odd',
        ['string', 'null'],
        ['integer', 'array'],
        [],
      ),
      description: fc.string(),
      properties: fc.dictionary(
        fc.constantFrom('a', 'b', '', 'toString'),
        fc.oneof({ maxDepth: 3, depthIdentifier: 'schema' }, tie('leaf'), tie('schema')),
        { maxKeys: 3 },
      ),
      required: fc.constantFrom(['a', 'b'], ['toString', 'toString'], 'a', [1]),
      items: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'schema' },
        fc.constant(true),
        tie('leaf'),
        tie('schema'),
        tie('list'),
      ),
      prefixItems: tie('list'),
      anyOf: tie('list'),
      oneOf: tie('list'),
      allOf: tie('list'),
      enum: fc.constantFrom(['x', 'y', 'x'], [1, 2], ['', null], [], 'x'),
      const: fc.constantFrom('x', 3, true, null),
      format: fc.constantFrom('date-time', 'uri', 'int64', 'double'),
      pattern: fc.constantFrom('^a$', '(?=a)', ''),
      minimum: fc.constantFrom(0, 1.5, '1'),
      maxLength: fc.constantFrom(3, -1, 2.5),
      minItems: fc.nat(),
      nullable: fc.boolean(),
      additionalProperties: fc.boolean(),
      $ref: fc.constantFrom('#', '#/$defs/tree', '#/$defs/none', 'https://elsewhere.test/schema'),
      $defs: fc.constant({
        tree: {
          type: 'object',
          properties: { next: { $ref: '#/$defs/tree' }, all: { type: 'array', items: { $ref: '#/$defs/tree' } } },
        },
      }),
      default: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>,
}));

test('every JSON schema becomes one of the subset that Gemini knows, or none', () => {
  fc.assert(
    fc.property(schemas.schema, (schema) => {
      const before = JSON.stringify(schema);
      const converted = toGeminiSchema(schema);
      if (converted !== undefined) assert.deepEqual(schemaProblems(converted, 'root'), []);
      assert.equal(JSON.stringify(schema), before, 'the schema of the tool was changed');
    }),
    { numRuns: 500 },
  );
});

test('what the subset can say of a schema is kept', () => {
  assert.deepEqual(
    toGeminiSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      required: ['mode', 'gone'],
      $defs: { when: { type: 'string', format: 'date-time', description: 'A time.' } },
      properties: {
        mode: { enum: ['fast', 'slow'], default: 'fast' },
        level: { type: 'integer', enum: [1, 2], description: 'How loud.' },
        note: { type: ['string', 'null'], format: 'uri' },
        at: { $ref: '#/$defs/when', description: 'When to begin.' },
        target: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
          description: 'Where to.',
        },
        any: {},
        bag: { type: 'object' },
      },
    }),
    {
      type: 'OBJECT',
      properties: {
        mode: { type: 'STRING', enum: ['fast', 'slow'] },
        level: { type: 'INTEGER', description: 'How loud. One of: 1, 2.' },
        note: { type: 'STRING', nullable: true },
        at: { type: 'STRING', format: 'date-time', description: 'When to begin.' },
        target: {
          description: 'Where to.',
          anyOf: [
            { type: 'STRING', nullable: true },
            { type: 'ARRAY', items: { type: 'STRING' }, nullable: true },
          ],
        },
        any: { type: 'STRING' },
        bag: { type: 'OBJECT' },
      },
      required: ['mode'],
    },
  );
  assert.equal(toGeminiSchema({ type: 'object', properties: {} }), undefined);
});

const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const parts = fc.oneof(
  words.map((text) => ({ text })),
  words.map((text) => ({ text, thought: true })),
  fc.record({
    functionCall: fc.record({ name: fc.constantFrom('a', 'b'), args: fc.record({ x: words }) }),
    thoughtSignature: fc.constantFrom('c2ln', 'eA=='),
  }),
);

test('an answer is the same message however its bytes are cut', async () => {
  await using server = await startGeminiServer();
  const protocol = new GeminiGenerate({ provider: 'gemini', baseUrl: server.url });
  const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 6 }), cuts, async (said, lengths) => {
      const bytes = Buffer.from(
        sse([...said.map((part) => partsChunk([part])), textChunk('', { finishReason: 'STOP' })]),
      );
      server.enqueue({ raw: [bytes] }, { raw: cut(bytes, lengths) });
      const [whole, pieces] = [await ask(protocol), await ask(protocol)];
      assert.deepEqual(withoutIds(pieces.done), withoutIds(whole.done));
      assert.equal(pieces.text, whole.text);
      assert.equal(pieces.reasoning, whole.reasoning);
      const spoken = said.map((part) => ('text' in part && !('thought' in part) ? part.text : '')).join('');
      assert.equal(whole.done.message.content ?? '', spoken);
      assert.equal(whole.done.message.tool_calls?.length ?? 0, said.filter((part) => 'functionCall' in part).length);
    }),
    { numRuns: 60 },
  );
});

test('garbage ends in done or in exactly one ModelError', async () => {
  await using server = await startGeminiServer();
  const protocol = new GeminiGenerate({ provider: 'gemini', baseUrl: server.url });
  const event = (json: string) => `data: ${json}\n\n`;
  const chunk = fc.oneof(
    fc.json().map(event),
    fc.json().map((json) => event(`{"candidates":[${json}]}`)),
    fc.json().map((json) => event(`{"candidates":[{"content":{"parts":[${json}]},"finishReason":${json}}]}`)),
    fc
      .json()
      .map((json) =>
        event(`{"candidates":[{"content":{"parts":[{"functionCall":${json}}]}}],"usageMetadata":${json}}`),
      ),
    fc.json().map((json) => event(`{"promptFeedback":${json},"error":${json}}`)),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
    fc.constantFrom(sse([textChunk('x', { finishReason: 'STOP' })]), '{', '<', '\n\n'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (raw, stream) => {
      server.enqueue({ raw });
      const events: ModelEvent[] = [];
      let errors = 0;
      try {
        for await (const one of protocol.stream(requestOf({ stream }), new AbortController().signal)) events.push(one);
      } catch (error) {
        assert.ok(error instanceof ModelError, String(error));
        errors += 1;
      }
      assert.equal(events.filter((one) => one.type === 'done').length + errors, 1);
      if (errors === 0) assert.equal(events.at(-1)?.type, 'done');
    }),
    { numRuns: 150 },
  );
});

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/"id":"call_[0-9a-f]{12}"/g, '"id":"call"'));
}

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
