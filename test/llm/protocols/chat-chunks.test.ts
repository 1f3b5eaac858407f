/** Reading the text of a chunk by what it shares with another must give what parsing it gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ChunkParser } from '../../../src/llm/protocols/chat-chunks.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { ask, protocolAt } from './ask.ts';

const chunk = (content: string, more: object = {}) => ({
  id: 'x',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

/** A parser that has seen this chunk. */
function parserAfter(value: object): ChunkParser {
  const parser = new ChunkParser();
  parser.parse(JSON.stringify(value));
  return parser;
}

test('whatever is read without parsing is what JSON says', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }), (first, second) => {
      const text = parserAfter(chunk(first)).textIn(JSON.stringify(chunk(second)));
      if (text !== undefined) assert.equal(text, second);
    }),
    { numRuns: 500 },
  );
});

test('plain text is read, and anything that is not exactly alike is left to JSON', () => {
  const parser = parserAfter(chunk('a'));
  const textIn = (value: object) => parser.textIn(JSON.stringify(value));
  assert.equal(textIn(chunk('hello 世界')), 'hello 世界');
  assert.equal(textIn(chunk('say "hi"')), undefined);
  assert.equal(textIn(chunk('line\nbreak')), undefined);
  assert.equal(textIn(chunk('b', { usage: { prompt_tokens: 1 } })), undefined);
  assert.equal(textIn({ ...chunk('b'), id: 'y' }), undefined);
  assert.equal(parser.textIn('{"id":"x","choices":[{"index":0,"delta":{"content":"'), undefined);
});

test('nothing is learned from a chunk that does more than add text to the first choice', () => {
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: null };
  const values = [
    { choices: [{ ...choice, finish_reason: 'stop' }] },
    { choices: [{ ...choice, delta: { content: 'a', tool_calls: [] } }] },
    { choices: [{ ...choice, index: 1 }] },
    { choices: [choice, choice] },
    chunk('a', { usage: {} }),
    chunk(''),
  ];
  for (const value of values) assert.equal(parserAfter(value).textIn(JSON.stringify(value)), undefined);
});

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  fc.constantFrom('<think>', '</think>', '\n\n', '"', '\u{feff}', 'data: '),
);
const line = (value: object, end = '\n\n', field = 'data: ') => `${field}${JSON.stringify(value)}${end}`;
const events = fc.oneof(
  { weight: 6, arbitrary: texts.map((content) => line(chunk(content))) },
  texts.map((content) => line(chunk(content), '\r\n\r\n')),
  texts.map((content) => line(chunk(content), '\n\n', 'event: message\nid: 7\ndata:')),
  texts.map((content) => line(chunk(content, { id: 'other' }))),
  texts.map((reasoning) => line({ choices: [{ index: 0, delta: { reasoning } }] })),
  fc.constantFrom(': comment\n\n', '\n', line({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } })),
);

test('an answer is the same whether its events look alike or not', async () => {
  await using server = await startModelServer();
  const protocol = protocolAt(server.url);
  const end = line({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  await fc.assert(
    fc.asyncProperty(fc.array(events, { maxLength: 25 }), async (lines) => {
      // A field that is never the same keeps every event from being read by another.
      const unlike = lines.map((text, index) => text.replace('{"id":"x"', `{"id":"${index}"`));
      server.enqueue({ raw: [[...lines, end].join('')] }, { raw: [[...unlike, end].join('')] });
      const [alike, parsed] = [await ask(protocol), await ask(protocol)];
      assert.deepEqual([alike.done, alike.text, alike.reasoning], [parsed.done, parsed.text, parsed.reasoning]);
    }),
    { numRuns: 60 },
  );
});
