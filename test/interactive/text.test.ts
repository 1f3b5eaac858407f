/** The parts of the terminal that are plain functions of text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { interruptAction } from '../../src/cli/interactive/interrupt-ladder.ts';
import { recapLines } from '../../src/cli/interactive/recap.ts';
import { stableLength } from '../../src/cli/interactive/stable-markdown.ts';
import { compactCount, shortModelName, statusBar } from '../../src/cli/interactive/status-bar.ts';
import { colorsFor } from '../../src/cli/render/colors.ts';
import { oneLine, terminalText } from '../../src/cli/render/terminal-text.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';

const plain = colorsFor({ isTTY: false }, {});
const facts = {
  model: 'anthropic/claude-sonnet-4.6',
  contextTokens: 12_400,
  contextLength: 200_000,
  durationMs: 900_000,
  backgroundCount: 0,
  yolo: false,
};

test('the status bar shows less on a narrow terminal, and YOLO at every width', () => {
  assert.equal(statusBar(facts, 100, plain), ' ⚕ claude-sonnet-4.6 │ 12.4K/200K │ [█░░░░░░░░░] 6% │ 15m');
  assert.equal(statusBar(facts, 60, plain), ' claude-sonnet-4.6 │ 6% │ 15m');
  assert.equal(statusBar(facts, 40, plain), ' claude-sonnet-4.6 │ 15m');
  for (const width of [30, 60, 100]) assert.match(statusBar({ ...facts, yolo: true }, width, plain), /⚠ YOLO/);
  assert.match(statusBar({ ...facts, contextTokens: undefined }, 100, plain), /ctx --/);
  assert.match(statusBar({ ...facts, backgroundCount: 2 }, 100, plain), /▶ 2/);
});

test('colours appear on a terminal and nowhere else', () => {
  assert.match(colorsFor({ isTTY: true }, { TERM: 'xterm' }).red('x'), /^\u001b\[31mx/);
  for (const [stream, env] of [
    [{ isTTY: false }, {}],
    [{ isTTY: true }, { NO_COLOR: '1' }],
    [{ isTTY: true }, { TERM: 'dumb' }],
  ] as const) {
    assert.equal(colorsFor(stream, env).red('x'), 'x');
  }
});

test('counts and model names are short', () => {
  assert.deepEqual([950, 1000, 12_400, 999_949, 1_200_000].map(compactCount), ['950', '1K', '12.4K', '999.9K', '1.2M']);
  assert.equal(shortModelName('models/qwen3-8b.GGUF'), 'qwen3-8b');
});

test('text for the terminal holds no control character but newline and tab, and nothing that reorders it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(terminalText(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
  assert.equal(terminalText('a\u001b[31mred\u001b[0m\u001b]0;title\u0007b'), 'aredb');
  assert.equal(oneLine('  a\n\tb  ', 10), 'a b');
  assert.equal(oneLine('abcdefghij', 8), 'abcde...');
});

test('a growing answer is cut only at blank lines outside code, and nothing is lost', () => {
  const fence = `\`\`\`js\n${'code\n\n'.repeat(600)}`;
  assert.equal(stableLength(fence), 0);
  const text = `${'word '.repeat(400)}\n\nnext`;
  assert.equal(text.slice(stableLength(text)), 'next');
  const list = `${'word '.repeat(400)}\n\n- item\n\n  more of the item`;
  assert.equal(list.slice(stableLength(list)), '- item\n\n  more of the item');
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('text\n', '\n', '```\n', '  in\n', 'x'.repeat(900)), { maxLength: 30 }),
      (lines) => {
        const value = lines.join('');
        const at = stableLength(value);
        assert.ok(at >= 0 && at <= value.length);
        const fences = value.slice(0, at).match(/^```$/gm)?.length ?? 0;
        assert.equal(fences % 2, 0);
      },
    ),
  );
});

test('Ctrl+C: question, turn, force, line, exit', () => {
  const idle = { promptOpen: false, busy: false, inputEmpty: true, sinceInterruptMs: undefined };
  assert.equal(interruptAction({ ...idle, promptOpen: true, busy: true }), 'cancel_prompt');
  assert.equal(interruptAction({ ...idle, busy: true }), 'interrupt');
  assert.equal(interruptAction({ ...idle, busy: true, sinceInterruptMs: 1500 }), 'force_exit');
  assert.equal(interruptAction({ ...idle, busy: true, sinceInterruptMs: 2500 }), 'interrupt');
  assert.equal(interruptAction({ ...idle, inputEmpty: false }), 'clear_input');
  assert.equal(interruptAction(idle), 'exit');
});

test('the recap shows the last ten exchanges, cut, with tool calls counted and thinking left out', () => {
  const history: HistoryMessage[] = [];
  for (let n = 1; n <= 12; n += 1) {
    history.push({ role: 'user', content: `question ${n} ${'x'.repeat(400)}` });
    history.push({
      role: 'assistant',
      content: `<think>hm</think>answer ${n}`,
      tool_calls: ['a', 'b'].map((id) => ({
        id: `${id}${n}`,
        type: 'function',
        function: { name: 'terminal', arguments: '{}' },
      })),
    });
    history.push({ role: 'tool', tool_call_id: `a${n}`, content: 'secret tool text' });
    history.push({ role: 'tool', tool_call_id: `b${n}`, content: 'secret tool text' });
  }
  const lines = recapLines(history);
  assert.equal(lines[0], '... 8 earlier messages ...');
  assert.ok(lines[1]?.startsWith('● question 3 ') === true && lines[1].length <= 302);
  assert.equal(lines[2], '◆ answer 3');
  assert.equal(lines[3], '  [2 tool calls: terminal]');
  assert.ok(!lines.join('\n').includes('secret'));
});
