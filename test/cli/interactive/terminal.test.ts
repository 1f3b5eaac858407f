/** What reaches the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Input, SelectList, visibleWidth } from '@earendil-works/pi-tui';
import * as fc from 'fast-check';
import { Activity } from '../../../src/cli/interactive/activity.ts';
import { repaint } from '../../../src/cli/interactive/chat-terminal.ts';
import { fitted } from '../../../src/cli/interactive/fitted.ts';
import { selectTheme } from '../../../src/cli/interactive/theme.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';

const plain = colorsFor({ isTTY: false }, { color: true });
const redraw = (lines: readonly string[]): string =>
  `\u001b[?2026h\u001b[2J\u001b[H\u001b[3J${lines.join('\r\n')}\u001b[?2026l`;
/** The lines that a repaint draws. */
const drawn = (data: string): string[] =>
  data
    .split('\u001b[2K')
    .slice(1)
    .map((line) => line.split(/[\r\u001b]/)[0] ?? '');

test('a redraw paints the screen and leaves the scrollback alone', () => {
  const lines = Array.from({ length: 10 }, (_, n) => `line ${n}`);
  const sameSize = repaint(redraw(lines), 4, 3);
  assert.doesNotMatch(sameSize, /\u001b\[[23]J/);
  assert.deepEqual(drawn(sameSize), lines.slice(3), 'what has not scrolled away yet still does');
  assert.deepEqual(drawn(repaint(redraw(lines), 4, undefined)), lines.slice(6), 'at a new size only what fits');
  assert.deepEqual(drawn(repaint(redraw(lines), 4, 9)), lines.slice(6), 'a shorter text is drawn from further up');
  const short = repaint(redraw(lines), 20, 0);
  assert.deepEqual(drawn(short), lines);
  assert.match(short, /\r\n\u001b\[J\u001b\[A\u001b\[\?2026l$/, 'and what was below it is cleared');
});

test('a redraw that comes in parts is drawn whole', () => {
  const first = redraw(['a', 'b']).replace('\u001b[?2026l', '');
  assert.deepEqual(drawn(repaint(first, 5, undefined)), ['a', 'b']);
  assert.doesNotMatch(repaint(first, 2, undefined), /2026l/);
});

test('nothing is wider than the terminal, however narrow that is', () => {
  const input = new Input();
  input.setValue('x'.repeat(100));
  const list = new SelectList(
    [{ value: 'a', label: '全角文字のラベル', description: 'a description that goes on' }],
    5,
    selectTheme(plain),
  );
  const activity = new Activity({
    colors: plain,
    refresh: () => undefined,
    enterHint: () => 'Enter does 全角文字 things',
  });
  activity.set('💻 terminal 全角文字 with a long preview');
  const wide = { render: () => ['• '.repeat(50), '👩‍👩‍👧'.repeat(20)], invalidate: () => undefined };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), (width) => {
      for (const part of [input, list, activity, wide]) {
        for (const line of fitted(part).render(width)) assert.ok(visibleWidth(line) <= width, `${width}: ${line}`);
      }
    }),
  );
  activity.set(undefined);
});
