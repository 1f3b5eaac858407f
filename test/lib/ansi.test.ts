/** Control sequences never reach a model. */
import assert from 'node:assert/strict';
import { assertGrowsLinearly } from '../growth.ts';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stripAnsi } from '../../src/lib/ansi.ts';

test('every kind of control sequence is removed, and nothing else', () => {
  const cases: [string, string][] = [
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[38;2;1;2;3mx\u001b[?25l\u001b[>4;2m', 'x'],
    ['\u001b]0;title\u0007a', 'a'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bPq#0\u001b\\b\u001b_apc\u001b\\\u001b^pm\u001b\\\u001bXsos\u001b\\c', 'bc'],
    ['\u001b(B\u001b=\u001b7\u001bMd', 'd'],
    ['\u009b1me\u009d0;t\u009cf\u0085', 'ef'],
    ['tab\tline\nümlaut 😀 [31m', 'tab\tline\nümlaut 😀 [31m'],
    ['lost \u001b', 'lost '],
    ['open \u001b]0;never ended', 'open 0;never ended'],
  ];
  for (const [raw, plain] of cases) assert.equal(stripAnsi(raw), plain, JSON.stringify(raw));
});

test('no introducer survives, and stripping twice is stripping once', () => {
  const piece = fc.constantFrom('\u001b', '[', ']', '\u009b', '\u0090', '0', ';', 'm', ' ', 'x', '\u0007', '\\', 'P');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const plain = stripAnsi(pieces.join(''));
      assert.doesNotMatch(plain, /[\u001b\u0080-\u009f]/);
      assert.equal(stripAnsi(plain), plain);
    }),
  );
});

test('unfinished sequences take linear time', () => {
  for (const unit of ['\u001b]', '\u001b[', '\u009d', '\u001bP0', '\u001b[0;', '\u001b ', '\u009b0']) {
    assertGrowsLinearly((size) => void stripAnsi(unit.repeat(size)), 100_000, unit);
  }
});
