/** Inline thinking never reaches the visible text, and prose about tags is left alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hasThinking, splitThinking, type ThinkingPiece, ThinkingSplitter } from '../../src/llm/thinking.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['plain', 'plain', ''],
  ['<think>x</think>hi', 'hi', 'x'],
  ['  \n<thinking>x</thinking>\n\nhi', '  \nhi', 'x'],
  ['<REASONING_SCRATCHPAD>x</REASONING_SCRATCHPAD>hi', 'hi', 'x'],
  ['<reasoning>a < b</reasoning>1 < 2 <b>bold</b>', '1 < 2 <b>bold</b>', 'a < b'],
  ['one <think>x</think> two', 'one  two', 'x'],
  ['<think>never closed', '', 'never closed'],
  ['text\n<think>never closed', 'text\n', 'never closed'],
  ['Use the <think> tag for that.', 'Use the <think> tag for that.', ''],
  ['Write `<think>` and `</think>` around it.', 'Write `<think>` and `</think>` around it.', ''],
  ['template left the start out</think>hi', 'template left the start outhi', ''],
  ['<think>a<thinking>b</think>c', 'c', 'a<thinking>b'],
  ['ends in <thin', 'ends in <thin', ''],
];

for (const [content, text, reasoning] of cases) {
  test(`${JSON.stringify(content)} shows ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitThinking(content), { text, reasoning });
  });
}

test('the split is the same however the text is cut', () => {
  const piece = fc.constantFrom(
    '<think>',
    '</think>',
    '<thinking>',
    '</thinking>',
    '<',
    '</',
    'think',
    '>',
    '`',
    '\n',
    ' ',
    'a',
    'b',
  );
  const texts = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 5 }), (content, size) => {
      const splitter = new ThinkingSplitter();
      const pieces: ThinkingPiece[] = [];
      for (let start = 0; start < content.length; start += size)
        pieces.push(...splitter.push(content.slice(start, start + size)));
      pieces.push(...splitter.end());
      const joined = (type: string) =>
        pieces
          .filter((item) => item.type === type)
          .map((item) => item.text)
          .join('');
      const whole = splitThinking(content);
      assert.equal(joined('text'), whole.text);
      assert.equal(joined('reasoning').trim(), whole.reasoning);
    }),
  );
});

test('hasThinking sees opening tags only', () => {
  assert.ok(hasThinking('a <Think>'));
  assert.ok(!hasThinking('a </think> < think'));
});
