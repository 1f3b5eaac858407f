/** Answers without their marks, for `display.final_response_markdown: strip`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripMarkdown } from '../../src/cli/render/strip-markdown.ts';

test('links become their words, also where brackets stand around them', () => {
  assert.equal(
    stripMarkdown('See [the **page**](https://example.org/x) and ![a cat](cat.png).'),
    'See the page and a cat.',
  );
  assert.equal(stripMarkdown('[[x](y)] [b](https://example.org/a_(b))'), '[x] b');
  assert.equal(stripMarkdown('a [b] (c)'), 'a [b] (c)');
});

/** Where each sign is looked at with all that follow it, this many of them take an hour. */
test('however long a line of signs is, it is read once', () => {
  for (const piece of ['[', '![', '[a](', '](', '*', '**a', '_', '~~', '`', ' ', '# '])
    assert.equal(typeof stripMarkdown(piece.repeat(400_000)), 'string');
});
