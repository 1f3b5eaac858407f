/** What a person sees instead of characters that cannot be seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { escapeForDisplay } from '../../src/safety/display.ts';

test('hidden characters become visible', () => {
  assert.equal(escapeForDisplay('a\u001b[31mb'), 'a\\x1b[31mb');
  assert.equal(escapeForDisplay('rm \u202egnp.x'), 'rm \\u{202e}gnp.x');
  assert.equal(escapeForDisplay('r\u200bm\u0000\r'), 'r\\u{200b}m\\x00\\x0d');
  assert.equal(escapeForDisplay('\u{e0041}\u00a0'), '\\u{e0041}\\xa0');
});

test('ordinary text, lines and emoji stay', () => {
  const text = 'ls -la\n\techo "ünï 日本語　👩\u200d👧 ❤\ufe0f"';
  assert.equal(escapeForDisplay(text), text);
});

test('a name is shown on one line', () => {
  assert.equal(escapeForDisplay('a\nb\tc', { singleLine: true }), 'a\\nb\\tc');
});

test('nothing that a terminal obeys is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(
        escapeForDisplay(text),
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/,
      );
    }),
  );
});
