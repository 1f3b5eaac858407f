import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarkupError, parseMarkdownV2 } from './telegram-markup.ts';

test('the fake reads Telegram’s markup', () => {
  assert.deepEqual(parseMarkdownV2('*b _i_ b* ~s~ ||p|| __u__ `c\\`` [t](http://a/\\)) \\. 🙂*x*'), {
    text: 'b i b s p u c` t . 🙂x',
    entities: [
      { type: 'italic', offset: 2, length: 1 },
      { type: 'bold', offset: 0, length: 5 },
      { type: 'strikethrough', offset: 6, length: 1 },
      { type: 'spoiler', offset: 8, length: 1 },
      { type: 'underline', offset: 10, length: 1 },
      { type: 'code', offset: 12, length: 2 },
      { type: 'text_link', offset: 15, length: 1, url: 'http://a/)' },
      { type: 'bold', offset: 21, length: 1 },
    ],
  });
  assert.deepEqual(parseMarkdownV2('```ts\na\\\\b\n``` x'), {
    text: 'a\\b\n x',
    entities: [{ type: 'pre', offset: 0, length: 4, language: 'ts' }],
  });
  assert.deepEqual(parseMarkdownV2('>one\n>two\nthree'), {
    text: 'one\ntwo\nthree',
    entities: [{ type: 'blockquote', offset: 0, length: 7 }],
  });
});

test('and refuses what Telegram refuses', () => {
  for (const [source, why] of [
    ['a.', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['1 - 2', "Character '-' is reserved and must be escaped with the preceding '\\'"],
    ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
    ['*a', "Can't find end of Bold entity at byte offset 0"],
    ['é _a', "Can't find end of Italic entity at byte offset 3"],
    ['```a', "Can't find end of Pre entity at byte offset 0"],
    ['`a', "Can't find end of Code entity at byte offset 0"],
    ['[a](b', "Can't find end of TextLink entity at byte offset 0"],
    ['*_a*_', /./],
  ] as const)
    assert.throws(
      () => parseMarkdownV2(source),
      (error) => {
        assert.ok(error instanceof MarkupError);
        if (typeof why === 'string') assert.equal(error.message, why);
        return true;
      },
      source,
    );
});
