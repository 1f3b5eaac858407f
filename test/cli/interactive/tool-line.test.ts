/** How a tool call is told in the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../../src/agent/events.ts';
import type { ToolRendering } from '../../../src/agent/tool.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { finishedToolLine, linesBelow, runningToolLine, wholeLines } from '../../../src/cli/render/tool-line.ts';
import { exitNote } from '../../../src/tools/display.ts';

const plain = colorsFor({ isTTY: false }, { color: true });
const coloured = colorsFor({ isTTY: true }, { color: true });
const started: Extract<AgentEvent, { type: 'tool_started' }> = {
  type: 'tool_started',
  callId: 'a',
  name: 'terminal',
  emoji: '💻',
  preview: 'ls -la\n\u001b[31mred',
  args: { command: 'ls' },
  written: { command: 'ls' },
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

const style = { colors: plain };
const shown = (type: 'diff' | 'text', text: string) => finished('ok', { blocks: [{ type, text }] });

test('a diff has the path from here, its counts, line numbers and colours, and no control sequences', () => {
  const diff = [
    '--- a/work/src/x.ts',
    '+++ b/work/src/x.ts',
    '@@ -9,3 +9,4 @@',
    ' same',
    '-old',
    '+new \u001b[2J',
    '+--- not a header',
    ' same',
    '@@ -100 +101 @@',
    '-a',
    '+b',
    '\\ No newline at end of file',
    '--- /dev/null',
    '+++ b/elsewhere/y',
    '@@ -0,0 +1 @@',
    '+y',
    '',
  ].join('\n');
  assert.deepEqual(linesBelow(started, shown('diff', diff), { ...style, cwd: '/work' }).lines, [
    '    src/x.ts  +3 −2',
    '      9   same',
    '     10 - old',
    '     10 + new ',
    '     11 + --- not a header',
    '     12   same',
    '        ⋮',
    '    100 - a',
    '    101 + b',
    '          \\ No newline at end of file',
    '    elsewhere/y (new)  +1 −0',
    '      1 + y',
  ]);
  assert.deepEqual(linesBelow(started, shown('diff', diff), { ...style, diffs: false }).lines, []);
  const [, , removed] = linesBelow(started, shown('diff', diff), { colors: coloured }).lines;
  assert.equal(removed, '    \u001b[31m 10 - old\u001b[39m');
});

test('a block below a call is cut, and how much is hidden is told', () => {
  assert.deepEqual(linesBelow(started, shown('text', '-no diff'), { colors: coloured }).lines, [
    '    \u001b[2m-no diff\u001b[22m',
  ]);
  const long = linesBelow(started, shown('text', 'x\n'.repeat(100)), style);
  assert.deepEqual([long.lines.length, long.lines.at(-1), long.hidden], [41, '    … 60 more lines', 60]);
  assert.deepEqual(linesBelow(started, finished('ok'), style), { lines: [], hidden: 0 });
});

test('a command leaves the end of its output, a failure what went wrong; both can be seen whole', () => {
  const output = Array.from({ length: 20 }, (_, n) => `line ${n + 1}`).join('\n');
  const ran = {
    ...finished('ok', {}, JSON.stringify({ output, exit_code: 0, error: null })),
    details: { exitCode: 0 },
  };
  const { lines, hidden } = linesBelow(started, ran, style);
  assert.equal(hidden, 15);
  assert.deepEqual(lines, ['    … 15 more lines', ...[16, 17, 18, 19, 20].map((n) => `    line ${n}`)]);
  assert.deepEqual(wholeLines(started, ran, style).slice(0, 3), ['    command: ls', '    line 1', '    line 2']);
  const wrong = finished('error', {}, JSON.stringify({ error: 'no such file\u001b[2J' }));
  assert.deepEqual(linesBelow(started, wrong, style).lines, ['    no such file']);
});

test('verbose shows arguments and result in words, not as JSON', () => {
  const call = { ...started, args: { path: 'a.ts', lines: [1, 2], text: 'one\ntwo', nothing: null } };
  const result = JSON.stringify({
    matches: [
      { path: 'a', line: 3 },
      { path: 'b', line: 4 },
    ],
    total: 2,
  });
  assert.deepEqual(linesBelow(call, finished('ok', {}, result), { ...style, verbose: true }).lines, [
    '    path: a.ts',
    '    lines:',
    '      - 1',
    '      - 2',
    '    text:',
    '      one',
    '      two',
    '    matches:',
    '      - path: a',
    '        line: 3',
    '      - path: b',
    '        line: 4',
    '    total: 2',
  ]);
  const long = linesBelow(started, finished('ok', {}, 'x\n'.repeat(100)), { ...style, verbose: true });
  assert.deepEqual([long.lines.length, long.hidden], [31, 71]);
});

test('an exit code has words where there are some', () => {
  const note = (exitCode: number) => exitNote({}, { content: '', isError: true, details: { exitCode } }).note;
  assert.deepEqual([0, 1, 3, 127, 130].map(note), [
    undefined,
    'exit 1: failed',
    'exit 3',
    'exit 127: command not found',
    'exit 130: interrupted',
  ]);
});
