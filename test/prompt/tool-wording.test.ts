/** Tools as the lean profile words them: fewer words, the same calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { defineTool } from '../../src/agent/define-tool.ts';
import { answer } from '../../src/agent/tool.ts';
import { wordedTools } from '../../src/runtime/tool-wording.ts';

const tool = defineTool<
  unknown,
  z.ZodObject<{ description: z.ZodString; mode: z.ZodDefault<z.ZodEnum<{ a: 'a'; b: 'b' }>> }>
>({
  name: 'note',
  toolset: 'notes',
  description: 'Writes a note. It has many rules.\nAnd more.',
  parameters: z.object({
    description: z.string().describe('What the note says'),
    mode: z.enum(['a', 'b']).default('a').describe('How'),
  }),
  parallel: 'safe',
  display: { preview: () => '' },
  execute: () => Promise.resolve(answer({})),
});

test('the default profile leaves tools as they are', () => {
  assert.equal(wordedTools([tool], 'default')[0], tool);
});

test('the lean profile keeps the first sentence, every parameter and every value', () => {
  const [lean] = wordedTools([tool], 'lean');
  assert.equal(lean?.description, 'Writes a note.');
  const properties = lean.schema['properties'] as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(properties), ['description', 'mode']);
  assert.deepEqual(properties['mode']?.['enum'], ['a', 'b']);
  assert.doesNotMatch(JSON.stringify(lean.schema), /What the note says|How/);
  const call = lean.prepare({ description: 'x' });
  assert.ok('args' in call);
  assert.deepEqual(call.args, { description: 'x', mode: 'a' });
});
