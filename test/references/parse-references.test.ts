/** What counts as a reference in a message, and what is left of the message without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseReferences } from '../../src/references/parse.ts';
import { assertGrowsLinearly } from '../growth.ts';

test('every kind of reference is understood', () => {
  const { references } = parseReferences(
    '@file:a.py @file:b.py:42 @file:c.py:10-25 @folder:src/ @diff @staged @git:3 @url:https://x.org/a?b=1',
  );
  assert.deepEqual(references, [
    { kind: 'file', raw: '@file:a.py', path: 'a.py' },
    { kind: 'file', raw: '@file:b.py:42', path: 'b.py', lines: { from: 42, to: 42 } },
    { kind: 'file', raw: '@file:c.py:10-25', path: 'c.py', lines: { from: 10, to: 25 } },
    { kind: 'folder', raw: '@folder:src/', path: 'src/' },
    { kind: 'diff', raw: '@diff' },
    { kind: 'staged', raw: '@staged' },
    { kind: 'git', raw: '@git:3', count: 3 },
    { kind: 'url', raw: '@url:https://x.org/a?b=1', url: 'https://x.org/a?b=1' },
  ]);
});

test('a path with spaces stands in quotes of any kind, lines of it behind them', () => {
  const { references, rest } = parseReferences(
    'See @file:"a b.txt", @file:`c d`:3-5. @folder:\'x y/\' (@file:"e f":7) and @file:"g h',
  );
  assert.deepEqual(references, [
    { kind: 'file', raw: '@file:"a b.txt"', path: 'a b.txt' },
    { kind: 'file', raw: '@file:`c d`:3-5', path: 'c d', lines: { from: 3, to: 5 } },
    { kind: 'folder', raw: "@folder:'x y/'", path: 'x y/' },
    { kind: 'file', raw: '@file:"e f":7', path: 'e f', lines: { from: 7, to: 7 } },
    { kind: 'file', raw: '@file:"g', path: '"g' },
  ]);
  assert.equal(rest, 'See,. () and h');
});

test('punctuation after a reference belongs to the sentence', () => {
  const { references, rest } = parseReferences('Review @file:a.py:2-3. Then (see @folder:src), @diff!');
  assert.deepEqual(
    references.map(({ raw }) => raw),
    ['@file:a.py:2-3', '@folder:src', '@diff'],
  );
  assert.equal(rest, 'Review. Then (see),!');
  assert.equal(parseReferences('@url:https://x.org/a_(b)').references[0]?.raw, '@url:https://x.org/a_(b)');
  assert.equal(parseReferences('(@url:https://x.org/a_(b)).').references[0]?.raw, '@url:https://x.org/a_(b)');
});

test('addresses, packages and unknown words are no references', () => {
  for (const text of [
    'me@file:x',
    'a/@diff',
    '@different',
    '@diff-tool',
    '@file:',
    '@file:...',
    '@git:soon',
    'ü@diff',
    '@user',
  ])
    assert.deepEqual(parseReferences(text), { references: [], rest: text });
});

test('the number of commits is kept between one and ten', () => {
  const counts = parseReferences('@git:0 @git:10 @git:99999999999999999999').references;
  assert.deepEqual(
    counts.map((reference) => reference.kind === 'git' && reference.count),
    [1, 10, 10],
  );
});

test('the same reference twice is one, and the lines of the message keep their shape', () => {
  const { references, rest } = parseReferences('Look:\n  def f():\n@file:a @file:a now\n    pass  @diff  x');
  assert.equal(references.length, 2);
  assert.equal(rest, 'Look:\n  def f():\nnow\n    pass   x');
});

test('references between words are all found, and the words stay', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const reference = fc.oneof(
    fc.constant('@diff'),
    word.map((path) => `@file:${path}.ts`),
    fc.integer({ min: 1, max: 10 }).map((count) => `@git:${count}`),
  );
  const piece = fc.oneof(word, reference);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const { references, rest } = parseReferences(pieces.join(' '));
      const typed = pieces.filter((text) => text.startsWith('@'));
      assert.deepEqual(
        references.map(({ raw }) => raw),
        [...new Set(typed)],
      );
      assert.equal(rest, pieces.filter((text) => !text.startsWith('@')).join(' '));
    }),
  );
});

test('any text is parsed, and text without references is unchanged', () => {
  const text = fc.string({
    unit: fc.constantFrom('@', 'diff', 'file:', 'url:', 'a', ')', '(', '.', ' ', '\n', ':', '3', '-', 'ü'),
  });
  fc.assert(
    fc.property(text, (message) => {
      const { references, rest } = parseReferences(message);
      for (const { raw } of references) assert.ok(message.includes(raw));
      if (references.length === 0) assert.equal(rest, message);
      else assert.ok(rest.length < message.length);
    }),
    { numRuns: 1000 },
  );
});

test('a long line of brackets costs linear time', () => {
  assertGrowsLinearly((size) => {
    parseReferences(`@url:https://x.org/${'('.repeat(size)}${')'.repeat(size * 2)}`);
  }, 25_000);
  assertGrowsLinearly((size) => void parseReferences('@file:'.repeat(size)), 12_500);
});
