/** What was drawn before, and where drawing goes on when the window gets another size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapTextWithAnsi } from '@earendil-works/pi-tui';
import * as fc from 'fast-check';
import { lettersOf, placeAfterResize, withoutLetters } from '../../../src/cli/interactive/reflow.ts';

const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;

/** The rows that a terminal makes of its lines; it breaks them anywhere. */
function rowsOf(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']);
}

test('whatever the window becomes, every letter stands there once', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
  const block = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));
  const width = fc.integer({ min: 12, max: 70 });
  fc.assert(
    fc.property(
      fc.array(block),
      fc.array(width, { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 3, max: 20 }),
      (texts, widths, height) => {
        const draw = (columns: number): string[][] => texts.map((text) => wrapTextWithAnsi(text, columns));
        const all = texts.join('').replaceAll(' ', '');
        let lines = draw(widths[0] ?? 12).flat();
        for (const [at, columns] of widths.entries()) {
          if (at === 0) continue;
          const before = draw(widths[at - 1] ?? 12);
          const after = draw(columns);
          const above = rowsOf(lines, columns).length;
          // The cursor is in the line behind them, the last row of the screen unless there are fewer.
          const cursorRow = Math.min(above, height - 1);
          const blocks = before.map((drawn, index) => ({ before: drawn, after: after[index] ?? [] }));
          const place = placeAfterResize(
            { lines: [...lines, '❯'], cursorLine: lines.length, cursorColumn: 0 },
            { columns, cursorRow, reflows: true },
            blocks,
          );
          assert.equal(place.row, rowsOf(lines.slice(0, place.kept), columns).length - (above - cursorRow));
          lines = [
            ...lines.slice(0, place.kept),
            ...withoutLetters(after.flat().slice(place.firstLine), place.lettersGone),
          ];
          assert.equal(lettersOf(lines), all);
        }
      },
    ),
  );
});

test('a terminal that cuts lines off keeps one row for each, and what others wrote above is left alone', () => {
  const blocks = [{ before: ['one two', 'three'], after: ['one', 'two', 'three'] }];
  const window = { columns: 4, cursorRow: 1, reflows: false };
  const written = { lines: ['one two', 'three', '❯'], cursorLine: 2, cursorColumn: 2 };
  assert.deepEqual(placeAfterResize(written, window, blocks), { kept: 1, row: 0, firstLine: 2, lettersGone: 0 });
  const low = placeAfterResize(written, { ...window, cursorRow: 9 }, blocks);
  assert.deepEqual(low, { kept: 0, row: 7, firstLine: 0, lettersGone: 0 });
});

test('a table that is drawn in another shape is shown twice in part rather than cut', () => {
  const table = { before: ['a b', '─┼─', 'c d'], after: ['A: c', 'B: d'] };
  const written = { lines: [...table.before, '❯'], cursorLine: 3, cursorColumn: 0 };
  const place = placeAfterResize(written, { columns: 80, cursorRow: 1, reflows: true }, [table]);
  assert.deepEqual([place.kept, place.lettersGone], [2, 0]);
});

test('a line that is cut keeps its colours', () => {
  assert.deepEqual(withoutLetters(['ab', ` ${dim('cd ef')}`], 4), [` ${dim('ef')}`]);
  assert.deepEqual(withoutLetters(['ab', 'cd'], 0), ['ab', 'cd']);
  assert.deepEqual(withoutLetters(['ab'], 2), []);
});
