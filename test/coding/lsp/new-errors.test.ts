/** Which errors count as brought by an edit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Diagnostic } from '../../../src/coding/lsp/diagnostic.ts';
import { newErrors } from '../../../src/coding/lsp/new-errors.ts';

const errorsIn = (text: string): Diagnostic[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      line.includes('!') ? [{ line: index, column: 0, message: line.replace(/\d/, '') }] : [],
    );
const looked = (text: string) => ({ text, errors: errorsIn(text) });
const brought = (before: string, after: string): number[] =>
  newErrors(looked(before), looked(after)).map(({ line }) => line);

test('an old error is none, wherever it has moved to', () => {
  assert.deepEqual(brought('a!\nb', 'x\ny\na!\nb'), []);
  assert.deepEqual(brought('a\nb!\nc', 'c\nb!\nd'), []);
  assert.deepEqual(brought('a!\nb\nc!', 'a!\nc!'), []);
});

test('of two errors that read alike the one in the new lines is told', () => {
  assert.deepEqual(brought('e!\nb', 'e!\nb\ne!'), [2]);
  assert.deepEqual(brought('b\ne!', 'e!\nb\ne!'), [0]);
  assert.deepEqual(brought('e!', 'e!\ne!\ne!').length, 2);
});

test('an edit that only adds good lines brings nothing; one that adds bad lines brings as many', () => {
  const line = fc.constantFrom('a', 'b', 'a!', 'b!');
  fc.assert(
    fc.property(fc.array(line), fc.array(line), fc.nat({ max: 20 }), (old, added, at) => {
      const place = Math.min(at, old.length);
      const now = [...old.slice(0, place), ...added, ...old.slice(place)];
      const bad = added.filter((text) => text.includes('!')).length;
      assert.equal(brought(old.join('\n'), now.join('\n')).length, bad);
    }),
  );
});
