/** An answer that is drawn while it arrives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stablePart } from '../../../src/cli/interactive/stable-markdown.ts';
import type { Piece } from '../../../src/cli/interactive/live-text.ts';
import { StreamedText } from '../../../src/cli/interactive/streamed-text.ts';
import { RichMarkdown } from '../../../src/cli/interactive/rich-markdown.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { Highlighter } from '../../../src/cli/render/highlight.ts';

const colors = colorsFor({ isTTY: false }, { color: true });
const highlighter = new Highlighter(colors, () => undefined);
const rendered = (text: string, continued: boolean): string[] =>
  new RichMarkdown(text, { colors, highlighter, continued }).render(60);
const words = 'word '.repeat(400).trim();

test('a growing text is cut at blank lines between blocks, not within a list or a short code block', () => {
  const cut = (text: string): string => text.slice(stablePart(text).length);
  assert.equal(cut(`${words}\n\nnext`), 'next');
  assert.equal(cut(`${words}\n\n- item\n\n  more of the item`), '- item\n\n  more of the item');
  assert.equal(cut(`${words}\n\n1. one\n\n2`), '1. one\n\n2');
  assert.equal(cut(`${words}\n\n\`\`\`\na\n\nb\n`), '```\na\n\nb\n');
  assert.equal(stablePart('short\n\ntext').length, 0);
});

test('a long code block is cut between its lines, and what opens it is told', () => {
  const text = `\`\`\`js\n${'const a = 1;\n'.repeat(500)}cons`;
  const { length, fence } = stablePart(text);
  assert.equal(text.slice(length), 'cons');
  assert.deepEqual(fence, { mark: '```', line: '```js' });
  const rest = `${'b\n'.repeat(800)}\`\`\`\n\nafter it\n\n${words}\n\nend`;
  const next = stablePart(rest, fence);
  assert.equal(rest.slice(next.length), 'end');
  assert.equal(next.fence, undefined);
});

/** A screen that keeps the pieces, and renders them as the real one does. */
function fakeScreen() {
  const blocks: (Piece | 'gap')[] = [];
  const open = (piece: Piece) => {
    let own = piece;
    blocks.push(own);
    return {
      set: (text: string) => {
        const changed = { ...own, text };
        blocks[blocks.indexOf(own)] = changed;
        own = changed;
      },
      remove: () => void blocks.splice(blocks.indexOf(own), 1),
    };
  };
  const render = (): string[] =>
    blocks.flatMap((block) => {
      return block === 'gap' ? [''] : rendered(block.text, block.continued);
    });
  const gap = (): void => {
    if (blocks.at(-1) !== 'gap') blocks.push('gap');
  };
  return { blocks, open, gap, render };
}

const tidy = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replaceAll('\u001b[0m', '').trimEnd())
    .join('\n')
    .replace(/\n{2,}/g, '\n\n')
    .trim();

function longList(item: (n: number) => string): string {
  return Array.from({ length: 120 }, (_, n) => `${item(n + 1)} of a long list`).join('\n');
}

const block = fc.constantFrom(
  words,
  '# A heading',
  `- one\n- two\n\n- three ${words}`,
  `1. one\n\n   more\n\n2. two`,
  `\`\`\`js\n${'const answer = 42;\n\n'.repeat(300)}\`\`\``,
  `~~~\n${'x\n'.repeat(3000)}~~~`,
  '| a | b |\n|---|---|\n| 1 | 2 |',
  `The items:\n\n${longList((n) => `- item **${n}**${n % 9 === 0 ? '\n  - below' : ''}`)}\n\nAfter them.`,
  `The steps:\n\n${longList((n) => `${n}. step`)}\n\nAfter them.`,
  '> quoted',
);

test('drawn in pieces it looks as if it had been drawn at once', async () => {
  const answers = fc.sample(fc.array(block, { minLength: 2, maxLength: 6 }), { numRuns: 12, seed: 7 });
  for (const blocks of answers) {
    const text = blocks.join('\n\n');
    const screen = fakeScreen();
    let drawn = Promise.withResolvers<void>();
    const streamed = new StreamedText({
      open: screen.open,
      between: screen.gap,
      now: () => {
        drawn.resolve();
        return 0;
      },
    });
    for (let at = 0; at < text.length; at += 2500) {
      drawn = Promise.withResolvers<void>();
      streamed.add(text.slice(at, at + 2500));
      await drawn.promise;
    }
    streamed.end();
    assert.equal(tidy(screen.render()), tidy(rendered(text, false)));
  }
});

test('what turns out void is taken off the screen whole', () => {
  const screen = fakeScreen();
  const streamed = new StreamedText({ open: screen.open, between: () => undefined });
  streamed.add(`${words}\n\n${words}\n\nhalf an answer`);
  streamed.end();
  assert.ok(screen.blocks.length > 1);
  streamed.reset();
  assert.ok(screen.blocks.length > 1, 'what was ended stays');
  streamed.add('void');
  streamed.reset();
  streamed.add('new');
  streamed.end();
  assert.equal(screen.blocks.filter((piece) => piece !== 'gap' && piece.text === 'void').length, 0);
  assert.match(screen.render().join('\n'), /new/);
});
