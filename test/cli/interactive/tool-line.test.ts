/** How a tool call is told in the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../../src/agent/events.ts';
import type { ToolRendering } from '../../../src/agent/tool.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { blockLines, finishedToolLine, runningToolLine, verboseLines } from '../../../src/cli/render/tool-line.ts';

const plain = colorsFor({ isTTY: false }, { color: true });
const coloured = colorsFor({ isTTY: true }, { color: true });
const started: Extract<AgentEvent, { type: 'tool_started' }> = {
  type: 'tool_started',
  callId: 'a',
  name: 'terminal',
  emoji: '💻',
  preview: 'ls -la\n\u001b[31mred',
  args: { command: 'ls' },
};
const finished = (
  outcome: 'ok' | 'error' | 'refused' | 'cancelled',
  rendering: ToolRendering = {},
  result = '',
): Extract<AgentEvent, { type: 'tool_finished' }> => ({
  type: 'tool_finished',
  callId: 'a',
  name: 'terminal',
  outcome,
  durationMs: 1234,
  result,
  details: {},
  rendering,
});

test('a call is one line, without the control sequences of its arguments', () => {
  assert.equal(runningToolLine(started, 0, plain), '  ┊ 💻 terminal  ls -la red');
  assert.equal(runningToolLine(started, 5, plain), '  ┊ 💻 terminal  ls...');
  assert.equal(runningToolLine({ ...started, preview: '' }, 0, plain), '  ┊ 💻 terminal');
});

test('when it is done it has a time, a note, and a mark when it went wrong', () => {
  const mark = (...args: Parameters<typeof finished>): string =>
    finishedToolLine({ ...started, preview: 'x' }, finished(...args), 0, plain).replace('  ┊ 💻 terminal  x ', '');
  assert.equal(mark('ok'), '(1.2s)');
  assert.equal(mark('ok', { note: '3 files' }), '(1.2s) [3 files]');
  assert.equal(mark('error', { note: 'exit 2\u001b[2J' }), '(1.2s) [exit 2]');
  assert.equal(mark('error'), '(1.2s) [error]');
  assert.equal(mark('refused'), '(1.2s) [refused]');
  assert.equal(mark('cancelled'), '(1.2s) [cancelled]');
});

test('what a call shows below its line is cut and without control sequences; a diff has colours', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new \u001b[2J\n same\n';
  const shown = (type: 'diff' | 'text', text: string) => finished('ok', { blocks: [{ type, text }] });
  assert.deepEqual(blockLines(shown('diff', diff), plain), [
    '    --- a/x',
    '    +++ b/x',
    '    @@ -1 +1 @@',
    '    -old',
    '    +new ',
    '     same',
  ]);
  const [, , , removed] = blockLines(shown('diff', diff), coloured);
  assert.equal(removed, '    \u001b[31m-old\u001b[39m');
  assert.deepEqual(blockLines(shown('text', '-no diff'), coloured), ['    \u001b[2m-no diff\u001b[22m']);
  const long = blockLines(shown('diff', '+x\n'.repeat(100)), plain);
  assert.equal(long.length, 41);
  assert.equal(long.at(-1), '    … 60 more lines');
  assert.deepEqual(blockLines(finished('ok'), plain), []);
});

test('verbose shows arguments and result, cut', () => {
  assert.deepEqual(verboseLines(started, finished('ok', {}, 'one\ntwo'), plain), [
    '    {"command":"ls"}',
    '    one',
    '    two',
  ]);
  const long = verboseLines(started, finished('ok', {}, 'x\n'.repeat(100)), plain);
  assert.equal(long.length, 31);
  assert.match(long.at(-1) ?? '', /… 72 more lines/);
});
