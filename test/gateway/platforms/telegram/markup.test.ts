import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toTelegram } from '../../../../src/gateway/text/formats/telegram.ts';
import { parseMarkdownV2 } from '../../../fakes/telegram-markup.ts';

test('Telegram can read what is made of any Markdown', () => {
  const pieces = fc.constantFrom(
    ...'* ** *** _ __ ~~ ~ ` `` ``` | || [ ] ( ) ![ ]( > # - + 1. \\ . ! = { } a word é 🙂 http://a.b/c_d(e) \n \n\n <b> :'.split(
      ' ',
    ),
    ' ',
  );
  const markdown = fc
    .array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 40 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(markdown, (text) => void parseMarkdownV2(toTelegram(text))),
    { numRuns: 5_000 },
  );
});

test('plain words are shown as they are', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z.!(){}=+|-]{1,20}( [a-z.!(){}=+]{1,20}){0,5}$/), (text) => {
      const shown = parseMarkdownV2(toTelegram(text)).text;
      if (!/^\s*(?:[-+]|\d+\.)\s|\|/.test(text)) assert.equal(shown, text);
    }),
  );
});
