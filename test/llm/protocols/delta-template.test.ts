/** Reading stream events by what they share must give what parsing them gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readByTemplate, templateOf } from '../../../src/llm/protocols/delta-template.ts';

const event = (content: string, more: object = {}) => ({
  id: 'x',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

test('whatever is read by a template is what JSON says', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }), (first, second) => {
      const data = JSON.stringify(event(first));
      const template = templateOf(data, event(first));
      if (template === undefined) return;
      const text = readByTemplate(JSON.stringify(event(second)), template);
      if (text !== undefined) assert.equal(text, second);
    }),
    { numRuns: 500 },
  );
});

test('plain text is read, and anything that is not exactly alike is left to the parser', () => {
  const template = templateOf(JSON.stringify(event('a')), event('a'));
  assert.ok(template !== undefined);
  assert.equal(readByTemplate(JSON.stringify(event('hello 世界')), template), 'hello 世界');
  assert.equal(readByTemplate(JSON.stringify(event('say "hi"')), template), undefined);
  assert.equal(readByTemplate(JSON.stringify(event('line\nbreak')), template), undefined);
  assert.equal(readByTemplate(JSON.stringify(event('b', { usage: { prompt_tokens: 1 } })), template), undefined);
  assert.equal(readByTemplate(JSON.stringify({ ...event('b'), id: 'y' }), template), undefined);
  assert.equal(readByTemplate('{"id":"x","choices":[{"index":0,"delta":{"content":"', template), undefined);
});

test('events that do more than add text give no template', () => {
  const finished = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] };
  const calling = { choices: [{ index: 0, delta: { content: 'a', tool_calls: [] }, finish_reason: null }] };
  const two = { choices: [{ delta: { content: 'a' } }, { delta: { content: 'b' } }] };
  for (const value of [finished, calling, two, event('a', { usage: {} }), event('')]) {
    assert.equal(templateOf(JSON.stringify(value), value), undefined);
  }
});
