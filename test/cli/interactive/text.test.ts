/** The parts of the terminal that are plain functions of text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Markdown } from '@earendil-works/pi-tui';
import * as fc from 'fast-check';
import { exitSummary, formatDuration } from '../../../src/cli/chat/exit-summary.ts';
import { Activity } from '../../../src/cli/interactive/activity.ts';
import { Attention } from '../../../src/cli/interactive/attention.ts';
import { turnSum } from '../../../src/cli/interactive/turn-sum.ts';
import { interruptAction } from '../../../src/cli/interactive/interrupt-ladder.ts';
import { recapLines, resumedLine, shortRecapLines } from '../../../src/cli/interactive/recap.ts';
import { compactCount, shortModelName, statusBar } from '../../../src/cli/interactive/status-bar.ts';
import { markdownTheme } from '../../../src/cli/interactive/theme.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { oneLine, terminalText } from '../../../src/cli/render/terminal-text.ts';
import type { HistoryMessage } from '../../../src/llm/message.ts';

const plain = colorsFor({ isTTY: false }, { color: true });
const coloured = colorsFor({ isTTY: true }, { color: true });
const facts = {
  model: 'anthropic/claude-sonnet-4.6',
  contextTokens: 12_400,
  contextLength: 200_000,
  durationMs: 900_000,
  backgroundCount: 0,
  yolo: false,
};

test('the status bar shows less on a narrow terminal, and YOLO at every width', () => {
  assert.equal(statusBar(facts, 76, plain), ' ⚕ claude-sonnet-4.6 │ 12.4K/200K │ [█░░░░░░░░░] 6% │ 15m');
  assert.equal(statusBar(facts, 75, plain), ' claude-sonnet-4.6 · 6% · 15m');
  assert.equal(statusBar(facts, 52, plain), ' claude-sonnet-4.6 · 6% · 15m');
  assert.equal(statusBar(facts, 51, plain), ' claude-sonnet-4.6 · 15m');
  const full = {
    ...facts,
    cost: { usd: 0.061, limit: 1 },
    turn: { ms: 12_000, running: true },
    waiting: 2,
    folder: '~/work',
    branch: 'main',
  };
  const all =
    ' ⚕ claude-sonnet-4.6 │ 12.4K/200K │ [█░░░░░░░░░] 6% │ $0.06/$1.00 │ ⧗ 2 waiting │ ⏱ 12s │ 15m │ ~/work (main)';
  assert.equal(statusBar(full, 120, plain), all);
  assert.equal(statusBar(full, 100, plain), all.replace(' │ ~/work (main)', ''));
  assert.equal(statusBar(full, 76, plain), ' ⚕ claude-sonnet-4.6 │ 12.4K/200K │ 6% │ $0.06/$1.00 │ ⧗ 2 waiting │ 15m');
  assert.equal(statusBar(full, 60, plain), ' claude-sonnet-4.6 · 6% · ⧗ 2 waiting · 15m');
  for (let width = 76; width < 130; width += 1) assert.ok(statusBar(full, width, plain).length <= width);
  for (const width of [30, 60, 100]) assert.match(statusBar({ ...facts, yolo: true }, width, plain), /⚠ YOLO/);
  assert.match(statusBar({ ...facts, contextTokens: undefined }, 100, plain), /ctx --/);
  assert.match(statusBar({ ...facts, contextLength: undefined }, 100, plain), /ctx 12\.4K/);
  const busy = { ...facts, backgroundCount: 2, compressions: 1, sinceAnswerMs: 42_000 };
  assert.match(statusBar({ ...busy, tasks: 1, subAgents: 3 }, 100, plain), /🗜️ 1 │ ▶ 1 │ ⚙ 2 │ ⛓ 3 │/);
  assert.match(statusBar(busy, 100, plain), /6% │ 🗜️ 1 │ ⚙ 2 │ ✓ 42s │ 15m$/);
  assert.equal(statusBar(busy, 60, plain), ' claude-sonnet-4.6 · 6% · 🗜️ 1 · ⚙ 2 · 15m');
  assert.match(statusBar({ ...facts, cost: { usd: undefined, limit: undefined } }, 100, plain), /6% │ n\/a │ 15m/);
  const often = (compressions: number) => statusBar({ ...facts, compressions }, 100, coloured);
  assert.match(often(5), /\u001b\[33m🗜️ 5/);
  assert.match(often(10), /38;5;208m🗜️ 10/);
});

test('the context turns yellow at a half, orange at four fifths and red before it is full', () => {
  const colorAt = (share: number): string | undefined =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for colours
    /\u001b\[([\d;]+)m\d+%/.exec(statusBar({ ...facts, contextTokens: share * 200_000 }, 60, coloured))?.[1];
  assert.deepEqual([0.49, 0.5, 0.79, 0.8, 0.94, 0.95, 3].map(colorAt), [
    '32',
    '33',
    '33',
    '38;5;208',
    '38;5;208',
    '31',
    '31',
  ]);
});

test('colours appear on a terminal and nowhere else', () => {
  assert.match(coloured.red('x'), /^\u001b\[31mx/);
  assert.equal(plain.red('x'), 'x');
  assert.equal(colorsFor({ isTTY: true }, { color: false }).red('x'), 'x');
});

test('counts, times and model names are short', () => {
  assert.deepEqual([950, 1000, 12_400, 999_949, 1_200_000].map(compactCount), ['950', '1K', '12.4K', '999.9K', '1.2M']);
  assert.deepEqual([8000, 754_000, 7_500_000].map(formatDuration), ['8s', '12m 34s', '2h 5m']);
  assert.equal(shortModelName('models/qwen3-8b.GGUF'), 'qwen3-8b');
});

test('text for the terminal holds no control character but newline and tab, and nothing that reorders it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(
        terminalText(text),
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
      );
      assert.ok(!/[\n\t]/.test(oneLine(text, 50)) && oneLine(text, 50).length <= 50);
    }),
  );
  assert.equal(terminalText('a\u001b[31mred\u001b[0m\u001b]0;title\u0007b'), 'aredb');
  assert.equal(terminalText('one\r\ntwo\rthree'), 'one\ntwothree');
  assert.equal(oneLine('  a\n\tb  ', 10), 'a b');
  assert.equal(oneLine('abcdefghij', 8), 'abcde...');
});

test('Markdown of a model never becomes a control sequence', () => {
  const theme = markdownTheme(plain);
  const part = fc.constantFrom(
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u009b31m',
    '&#27;[31m',
    '&#x1b;]0;x&#7;',
    '[a](http://x\u001b[31m)',
    '`\u001b[7m`',
    '# ',
    '> ',
    '- ',
    '\n',
    '**b**',
    '<b>',
    '| a |\n|---|\n',
    '```\n',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const lines = new Markdown(terminalText(parts.join('')), 1, 0, theme).render(60);
      // What the library itself writes are resets (the long one ends a styled word cut by a table cell) and links.
      const resets = /\u001b\[(?:0|22;23;24;25;27;28;29;39)m/g;
      const text = lines
        .join('\n')
        .replace(resets, '')
        .replace(/\u001b\]8;;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '');
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 1000, examples: [[['- ', '| a |\n|---|\n', '[a](http://x\u001b[31m)', '**b**', '&#x1b;]0;x&#7;']]] },
  );
});

test('a turn that took its time or used tools says what it came to', () => {
  assert.equal(turnSum(4000, 3), 'worked 4s · 3 tools');
  assert.equal(turnSum(65_000, 0), 'worked 1m 5s');
  assert.equal(turnSum(4000, 0), undefined);
});

test('Ctrl+C: question, turn, force, line, once more, exit', () => {
  const idle = {
    prompt: undefined,
    busy: false,
    inputEmpty: true,
    sinceInterruptMs: undefined,
    sinceAskedMs: undefined,
  };
  assert.equal(interruptAction({ ...idle, prompt: 'agent', busy: true }), 'cancel_and_interrupt');
  assert.equal(interruptAction({ ...idle, prompt: 'command', busy: true }), 'cancel_prompt');
  assert.equal(interruptAction({ ...idle, prompt: 'agent' }), 'cancel_prompt');
  assert.equal(interruptAction({ ...idle, busy: true }), 'interrupt');
  assert.equal(interruptAction({ ...idle, busy: true, sinceInterruptMs: 1500 }), 'force_exit');
  assert.equal(interruptAction({ ...idle, busy: true, sinceInterruptMs: 2500 }), 'interrupt');
  assert.equal(interruptAction({ ...idle, inputEmpty: false }), 'clear_input');
  assert.equal(interruptAction(idle), 'ask_again');
  assert.equal(interruptAction({ ...idle, sinceAskedMs: 1000 }), 'exit');
  assert.equal(interruptAction({ ...idle, sinceAskedMs: 5000 }), 'ask_again');
});

const call = (id: string) => ({ id, type: 'function', function: { name: 'terminal', arguments: '{}' } }) as const;

test('the recap shows the last ten exchanges, cut, with tool calls counted and thinking left out', () => {
  const history: HistoryMessage[] = [];
  for (let n = 1; n <= 12; n += 1) {
    history.push({ role: 'user', content: `question ${n} ${'x'.repeat(400)}` });
    history.push({
      role: 'assistant',
      content: `<think>hm</think>answer ${n}`,
      tool_calls: [call(`a${n}`), call(`b${n}`)],
    });
    history.push({ role: 'tool', tool_call_id: `a${n}`, content: 'secret tool text' });
    history.push({ role: 'tool', tool_call_id: `b${n}`, content: 'secret tool text' });
  }
  const lines = recapLines(history);
  assert.equal(lines[0], '... 8 earlier messages ...');
  assert.ok(lines[1]?.startsWith('● question 3 ') === true && lines[1].length <= 302);
  assert.equal(lines[2], '◆ answer 3');
  assert.equal(lines[3], '  [2 tool calls: terminal]');
  assert.equal(lines.length, 31);
  assert.ok(!lines.join('\n').includes('secret'));
  assert.deepEqual(recapLines([{ role: 'assistant', content: 'one\ntwo\nthree\nfour' }]), ['◆ one\ntwo\nthree...']);
  const limits = { exchanges: 1, userChars: 10, answerChars: 8, answerLines: 1, skipToolOnly: true };
  const short = recapLines([...history, { role: 'assistant', content: '', tool_calls: [call('z')] }], limits);
  assert.equal(short.length, 5);
  assert.ok((short[1]?.length ?? 99) <= 12 && short[2] === '◆ answer 1...');
});

test('the recap names calls that nobody knows the outcome of, what was broken off, and what is not sent any more', () => {
  const args = JSON.stringify({ background: false, command: 'rm -rf build' });
  const lost = { id: 'x', type: 'function', function: { name: 'terminal', arguments: args } } as const;
  const history: HistoryMessage[] = [
    { role: 'user', content: 'too long', setAside: true },
    { role: 'user', content: '[System: what a person pasted]' },
    { role: 'user', content: 'a note', kind: 'note' },
    { role: 'assistant', content: 'half of', kind: 'interrupted' },
    { role: 'assistant', content: 'a summary', kind: 'summary' },
    { role: 'user', content: 'clean up' },
    { role: 'assistant', content: '', tool_calls: [lost] },
  ];
  assert.deepEqual(recapLines(history), [
    '● too long [not sent any more]',
    '● [System: what a person pasted]',
    '◆ half of [interrupted]',
    '● clean up',
    '  [1 tool call: terminal]',
    '⚠ outcome unknown: terminal rm -rf build',
  ]);
  const stored: HistoryMessage = { role: 'tool', tool_call_id: 'x', content: 'no result', kind: 'unknown' };
  assert.deepEqual(recapLines([...history, stored]), recapLines(history));
  assert.deepEqual(shortRecapLines(history), ['⚠ outcome unknown: terminal rm -rf build']);
  assert.equal(resumedLine('s1', history), '↻ Resumed session s1 (2 user messages, 7 total messages)');
});

test('the summary names the session and counts, and there is none for an empty conversation', () => {
  const history: HistoryMessage[] = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
    { role: 'assistant', content: 'done' },
  ];
  const session = { id: '20260101_000000_abcdef', agent: { history } };
  const text = exitSummary(session, 'my "title"', 754_000).join('\n');
  assert.match(
    text,
    /^Resume this session with:\n {2}hermes --resume 20260101_000000_abcdef\n {2}hermes -c "my \\"title\\""\n/,
  );
  assert.match(text, /Duration: 12m 34s\nMessages: 5 \(1 user, 2 tool calls\)$/);
  assert.deepEqual(exitSummary({ ...session, agent: { history: [] } }, undefined, 1000), []);
});

test('the time that a person takes to answer is not the time that the agent works', () => {
  let now = 1000;
  const activity = new Activity({ colors: plain, refresh: () => undefined, now: () => now });
  activity.set('working');
  now += 2000;
  activity.pause();
  now += 60_000;
  activity.resume();
  now += 1000;
  assert.match(activity.render(80).join('\n'), /working \(3\.0s/);
  activity.set(undefined);
});

test('a notice is sent only while nobody looks, or always with the bell; the title says what goes on', () => {
  const sent: string[] = [];
  const quiet = new Attention({ write: (text) => void sent.push(text), name: '~/work', bell: false });
  quiet.working();
  quiet.done('All tests pass.');
  assert.deepEqual(sent.splice(0), ['\u001b]0;⏳ ~/work\u0007', '\u001b]0;⚕ ~/work\u0007']);
  quiet.focus(false);
  quiet.waits('Run\u0007 \u001b]0;evil\u0007it; now?');
  assert.deepEqual(sent.splice(0), [
    '\u001b]0;❓ ~/work\u0007',
    '\u001b]9;Run ]0;evil it; now?\u0007\u001b]777;notify;Hermes;Run ]0,evil it, now?\u0007',
  ]);
  quiet.focus(true);
  quiet.done('');
  assert.deepEqual(sent.splice(0), ['\u001b]0;⚕ ~/work\u0007']);
  const loud = new Attention({ write: (text) => void sent.push(text), name: '~/work', bell: true });
  loud.done('');
  assert.deepEqual(sent.slice(1), [
    '\u0007',
    '\u001b]9;The turn is done.\u0007\u001b]777;notify;Hermes;The turn is done.\u0007',
  ]);
});

test('the line below a turn names its cost when it is known', () => {
  assert.equal(turnSum(4000, 3, 0.012), 'worked 4s · 3 tools · $0.01');
  assert.equal(turnSum(4000, 3, 0.0012), 'worked 4s · 3 tools · $0.0012');
  assert.equal(turnSum(4000, 1, 0), 'worked 4s · 1 tool');
});
