/** A model that goes round in circles is told from one that lists, draws or says a thing twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { repeatsItself, tailChars } from '../../../src/models/local/repetition.ts';

const thought =
  "I'm a chatbot designed to provide information, answer questions, and help with any kind of request.\n\n";

test('one piece of text that stands there again and again is seen, wherever it is cut', () => {
  const pieces = fc.string({ minLength: 20, maxLength: 300 }).filter((text) => text.trim().length > 10);
  fc.assert(
    fc.property(pieces, fc.string(), fc.nat(300), (piece, before, cut) => {
      const said = before + piece.repeat(Math.ceil(tailChars / piece.length) + 2);
      assert.ok(repeatsItself(said.slice(0, said.length - cut).slice(-tailChars)));
    }),
  );
});

test('what is said twice, listed, drawn or counted is left alone', () => {
  const numbers = Array.from({ length: 200 }, (_, n) => `${n}. The number ${n} comes after ${n - 1}.`).join('\n');
  const rule = `${'-'.repeat(300)}\n${'=|'.repeat(19)}\n`;
  for (const text of ['', thought, thought.repeat(3), numbers, rule, `${numbers}\n${rule}`]) {
    assert.equal(repeatsItself(text.slice(-tailChars)), false, text.slice(0, 80));
  }
});
