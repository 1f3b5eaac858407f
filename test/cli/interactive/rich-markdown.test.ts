/** Markdown as the chat draws it: code, tables, headings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { visibleWidth } from '@earendil-works/pi-tui';
import * as fc from 'fast-check';
import { RichMarkdown } from '../../../src/cli/interactive/rich-markdown.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { Highlighter } from '../../../src/cli/render/highlight.ts';

const plain = colorsFor({ isTTY: false }, { color: true });
const coloured = colorsFor({ isTTY: true }, { color: true });
const noColours = new Highlighter(plain, () => undefined);

function drawn(text: string, width: number): string[] {
  const view = new RichMarkdown(text, { colors: plain, highlighter: noColours, continued: false });
  return view.render(width).map((line) => stripVTControlCharacters(line).trimEnd());
}

const table = [
  '| Name | Explanation | Price |',
  '|:-----|-------------|------:|',
  '| alpha | a rather long explanation | 5 |',
  '| beta | short | 1,200 |',
].join('\n');

test('a table keeps its words whole and its numbers to the right', () => {
  assert.deepEqual(drawn(table, 60), [
    ' Name  │ Explanation               │ Price',
    ' ──────┼───────────────────────────┼──────',
    ' alpha │ a rather long explanation │     5',
    ' beta  │ short                     │ 1,200',
  ]);
  const narrow = drawn(table, 40);
  assert.ok(
    narrow.some((line) => line.includes('explanation')),
    narrow.join('\n'),
  );
  assert.match(narrow.join('\n'), /│ +5$/m);
});

test('a table that does not fit becomes cards', () => {
  assert.deepEqual(drawn(table, 24).slice(0, 6), [
    ' Name: alpha',
    ' Explanation: a rather',
    ' long explanation',
    ' Price: 5',
    '',
    ' Name: beta',
  ]);
});

test('small headings and code have no marks, and long code goes on below its indentation', () => {
  const text = '### Small\n\ntext\n\n```ts\nif (x) {\n    call(one, two, three, four);\n}\n```\n\nend';
  assert.deepEqual(drawn(text, 30), [
    ' Small',
    '',
    ' text',
    '',
    '   ts',
    '   if (x) {',
    '       call(one, two, three,',
    '       four);',
    '   }',
    '',
    ' end',
  ]);
});

test('code has colours once its language is loaded', async () => {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  const highlighter = new Highlighter(coloured, resolve);
  assert.equal(highlighter.lines('const a = "<b>";', 'ts'), undefined);
  await loaded;
  const [line = ''] = highlighter.lines('const a = "<b>";', 'ts') ?? [];
  assert.equal(stripVTControlCharacters(line), 'const a = "<b>";');
  assert.match(line, /\u001b\[36mconst\u001b\[39m/);
  assert.equal(highlighter.lines('x', 'nosuchlanguage'), undefined);
  assert.equal(highlighter.lines('x'.repeat(20_000), 'ts'), undefined);
});

test('nothing is wider than the terminal', () => {
  const cell = fc.string({ maxLength: 20 }).map((text) => text.replace(/[|\n\r]/g, ' '));
  const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(rows, fc.integer({ min: 4, max: 80 }), (cells, width) => {
      const body = cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
      const text = `| a | b | c |\n|---|--:|:-:|\n${body}\n\n\`\`\`py\n        ${cells.flat().join(' ')}\n\`\`\`\n`;
      const view = new RichMarkdown(text, { colors: plain, highlighter: noColours, continued: false });
      for (const line of view.render(width)) assert.ok(visibleWidth(line) <= width, `${width}: ${line}`);
    }),
    { numRuns: 200 },
  );
});
