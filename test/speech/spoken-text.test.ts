/** What of an answer is read aloud. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spokenText } from '../../src/speech/spoken-text.ts';

test('the signs of Markdown, code and addresses are not read aloud, words are', () => {
  for (const [markdown, spoken] of [
    ['# Title\n\n**Bold** and *thin* and `code`.', 'Title\n\nBold and thin and code.'],
    ['See [the page](https://example.org/a_(b) "title") or https://example.org/x.', 'See the page or'],
    ['Before\n```sh\nrm -rf /\n```\nafter', 'Before\n\nafter'],
    ['~~~\ncode\n~~~~\n\nText', 'Text'],
    ['- one\n* two\n+ three\n> quoted', 'one\ntwo\nthree\nquoted'],
    ['a\n\n---\n\nb', 'a\n\nb'],
    ['the name snake_case (really) [x]', 'the name snake case really x'],
    ['1. first\n2. second', '1. first\n2. second'],
    ['5 - 3 = 2', '5 - 3 = 2'],
    ['![a cat](https://example.org/cat.png)', 'a cat'],
    ['```\nonly code\n```', ''],
    ['**', ''],
  ] as const) {
    assert.equal(spokenText(markdown), spoken, markdown);
  }
});

test('it is no longer than somebody listens, and no sign is cut in two', () => {
  assert.equal(spokenText('a'.repeat(9000)).length, 4000);
  assert.equal(spokenText(`${'a'.repeat(3999)}😀`).isWellFormed(), true);
});

test('the signs of a table and a block of code that never ends are not read aloud either', () => {
  assert.equal(spokenText('| a | b |\n| --- | :-: |\n| c | d |'), ', a , b ,\n\n, c , d ,');
  assert.equal(spokenText('Before\n```sh\nrm -rf /\n\nls'), 'Before');
  assert.equal(spokenText('A [[linked] page](https://example.org).'), 'A linked page.');
});

/** Where each sign is looked at with all that follow it, this many of them take hours. */
test('however long a text of signs is, it is read once', () => {
  for (const piece of ['[', '![', '](', '```\n', '```a\n', '*_', '| --- ', '- ', '((', '  ', ' |', '[a](b '])
    assert.equal(typeof spokenText(piece.repeat(500_000)), 'string');
});
