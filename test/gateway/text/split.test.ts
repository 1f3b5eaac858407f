/** Long answers become several messages, each short enough and whole in itself. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { measure, type LengthUnit } from '../../../src/gateway/text/length.ts';
import { findFences } from '../../../src/gateway/text/markdown/fences.ts';
import { bodyOf, cutText, splitText } from '../../../src/gateway/text/split.ts';

const unit = z.enum(['utf16', 'codepoint', 'byte']);
const golden = z
  .object({
    split: z.record(z.string(), z.object({ in: z.string(), limit: z.number(), unit, out: z.array(z.string()) })),
  })
  .parse(JSON.parse(readFileSync(new URL('../golden/split.json', import.meta.url), 'utf8'))).split;

for (const [name, example] of Object.entries(golden)) {
  test(`parts are those of the original: ${name}`, () => {
    assert.deepEqual(splitText(example.in, example), example.out);
  });
}

test('an answer of ten thousand characters with a code block arrives in marked parts that open and close it', () => {
  const code = Array.from({ length: 600 }, (_, index) => `    value_${index} = ${index}`).join('\n');
  const parts = splitText(`Here it is:\n\`\`\`python\n${code}\n\`\`\`\nDone.`, { limit: 2000, unit: 'codepoint' });
  assert.ok(parts.length > 4);
  for (const [index, part] of parts.entries()) {
    assert.ok(measure(part, 'codepoint') <= 2000);
    assert.ok(part.endsWith(` (${index + 1}/${parts.length})`));
    assert.equal(part.match(/^```/gm)?.length, 2);
  }
  assert.match(parts[1] ?? '', /^```python\n {4}value_/, 'the indentation at the cut stays');
});

test('neither a link nor code in a line is broken where it would fit whole', () => {
  const link = '[a label of some words](https://example.org/a/long/path)';
  for (const piece of [link, '`some code with spaces`', `!${link}`]) {
    for (let before = 0; before < 100; before += 1) {
      const parts = splitText(`${'x'.repeat(before)} ${piece} ${'tail '.repeat(20)}`, {
        limit: 100,
        unit: 'codepoint',
      });
      assert.equal(parts.filter((part) => part.includes(piece)).length, 1, `${before} before ${piece}`);
    }
  }
});

test('what is shown as one character stays whole', () => {
  const family = '👨‍👩‍👧';
  for (const limit of [24, 27, 33, 64]) {
    const parts = splitText(family.repeat(40), { limit, unit: 'utf16' });
    for (const part of parts) assert.match(part, new RegExp(`^(?:${family})+(?: \\(\\d+/\\d+\\))?$`));
  }
});

test('a block that ends right at a cut leaves no empty block behind', () => {
  for (let lines = 1; lines < 60; lines += 1) {
    const text = `\`\`\`sh\n${'abc\n'.repeat(lines)}\`\`\`\n${'after '.repeat(30)}`;
    for (const part of splitText(text, { limit: 100, unit: 'codepoint' })) {
      assert.doesNotMatch(part, /```(?:sh)?\n+```/, JSON.stringify(part));
    }
  }
});

test('a block that the model never closed is closed in every part', () => {
  const parts = splitText(`\`\`\`js\n${'let a = 1;\n'.repeat(40)}`, { limit: 120, unit: 'codepoint' });
  for (const part of parts) assert.equal(part.match(/^```/gm)?.length, 2);
});

test('longer fences hold shorter ones', () => {
  const text = `\`\`\`\`md\n${'```sh\nls\n```\n'.repeat(20)}\`\`\`\`\nend`;
  for (const part of splitText(text, { limit: 100, unit: 'codepoint' }).slice(0, -1)) {
    assert.match(part, /^````md\n[^]*\n```` \(\d+\/\d+\)$/);
  }
});

test('no limit, no parts', () => {
  assert.deepEqual(splitText('x'.repeat(100_000), { limit: 0, unit: 'utf16' }), ['x'.repeat(100_000)]);
});

const pieces = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    ' ',
    '```\n',
    '```python\n',
    '\n```\n',
    '~~~\n',
    '`',
    '``',
    '[a b](https://e.org)',
    '\r\n',
  ),
  fc.constantFrom('👨‍👩‍👧', '🇩🇪', 'e\u0301', '部署', '\\', '**', '    '),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('x'.repeat(90), 'word '.repeat(30), 'line\n'.repeat(30)),
);
const texts = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(''));
const units = fc.constantFrom<LengthUnit>('utf16', 'codepoint', 'byte');

test('whatever the text, every part is within the limit, and together they are the text', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 400 }), units, (text, limit, unit) => {
      const parts = cutText(text, { limit, unit });
      let place = 0;
      for (const part of parts) {
        assert.ok(measure(bodyOf(text, part) + part.mark, unit) <= limit);
        const gap = text.slice(place, part.start).trim();
        // Only white space goes, and the line that closes a block where this part has closed it.
        assert.match(gap, /^(?:`{3,}|~{3,})?$/);
        assert.ok(part.start >= place);
        place = part.end;
      }
      assert.match(text.slice(place).trim(), /^(?:`{3,}|~{3,})?$/);
    }),
    { numRuns: 500 },
  );
});

test('whatever the text, where there is room every block is closed in its part', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 60, max: 400 }), units, (text, limit, unit) => {
      const parts = cutText(text, { limit, unit });
      if (parts.length === 1) return;
      for (const part of parts) {
        const open = findFences(bodyOf(text, part)).filter(({ closed }) => !closed);
        assert.deepEqual(open, [], JSON.stringify(bodyOf(text, part)));
      }
    }),
    { numRuns: 500 },
  );
});

test('a hundred thousand characters without a line break are cut into words', () => {
  const parts = splitText('word '.repeat(20_000), { limit: 4096, unit: 'utf16' });
  for (const part of parts) assert.match(part, /^(?:word ?)+(?: \(\d+\/\d+\))?$/);
});

test('hostile texts take no time that grows with their square', () => {
  for (const piece of ['`', 'x', '[a', '```\n', '👨‍👩‍👧', '\n']) {
    const text = piece.repeat(20_000);
    for (const limit of [30, 4096]) assert.ok(splitText(text, { limit, unit: 'utf16' }).length > 0);
  }
});
