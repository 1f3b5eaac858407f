/** Each platform shows as much of a turn as suits it, unless the settings say otherwise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatDisplay, type WrittenDisplay } from '../../../src/gateway/display/display-settings.ts';
import { overflow, withCursor, withoutCursor } from '../../../src/gateway/display/preview.ts';
import { footerLine } from '../../../src/gateway/display/runtime-footer.ts';
import { ProgressLines, progressLine, type ProgressCall } from '../../../src/gateway/display/progress-lines.ts';

test('without settings Signal shows nothing of a turn, Discord its tools, Telegram only the answer', () => {
  const signal = chatDisplay('signal', {}, true);
  assert.deepEqual([signal.tool_progress, signal.streaming, signal.interim_assistant_messages], ['off', false, false]);
  const discord = chatDisplay('discord', {}, true);
  assert.deepEqual([discord.tool_progress, discord.streaming, discord.reasoning_style], ['all', true, 'subtext']);
  assert.equal(discord.tool_preview_length, 40);
  assert.equal(chatDisplay('telegram', {}, false).tool_progress, 'off');
  assert.equal(chatDisplay('of-a-plugin', {}, false).tool_progress, 'all');
  assert.equal(chatDisplay('matrix', {}, false).streaming, false);
});

test('the setting of a platform comes before the older overrides, and those before the general one', () => {
  const of = (display: WrittenDisplay) => chatDisplay('signal', display, false).tool_progress;
  const platforms = { signal: { tool_progress: 'verbose' } };
  assert.equal(of({ tool_progress: 'all' }), 'all');
  assert.equal(of({ tool_progress: 'all', tool_progress_overrides: { signal: 'new' } }), 'new');
  assert.equal(of({ tool_progress: 'all', tool_progress_overrides: { signal: 'new' }, platforms }), 'verbose');
  assert.equal(of({ tool_progress: false }), 'off');
  assert.equal(of({ tool_progress: 'sometimes' }), 'off');
});

test('the general streaming of the terminal is not that of chats', () => {
  assert.equal(chatDisplay('discord', { streaming: true }, false).streaming, false);
  assert.equal(chatDisplay('discord', { platforms: { discord: { streaming: false } } }, true).streaming, false);
  assert.equal(chatDisplay('signal', { platforms: { signal: { streaming: true } } }, false).streaming, true);
});

const call = (tool: string, preview: string): ProgressCall => ({ tool, emoji: '🔍', label: tool, preview });

test('a line of progress names the tool and begins its argument', () => {
  assert.equal(progressLine(call('web_search', 'weather in\n  Rome'), 0), '🔍 web_search: "weather in Rome"');
  assert.equal(progressLine(call('web_search', 'weather in Rome'), 8), '🔍 web_search: "weather…"');
  assert.equal(progressLine(call('todo', ''), 40), '🔍 todo…');
});

test('the same line again is counted, and a long turn keeps its newest lines', () => {
  const lines = new ProgressLines('all');
  for (const preview of ['a', 'a', 'a', 'b']) lines.add(call('read', preview), 0);
  assert.equal(lines.text, '🔍 read: "a" (×3)\n🔍 read: "b"');
  for (let index = 0; index < 100; index += 1) lines.add(call('read', `${index}`), 0);
  assert.equal(lines.text.split('\n').length, 51);
  assert.match(lines.text, /^… 54 earlier\n[^]*"99"$/);
});

test('only a change of the tool is shown where that is wanted, and nothing where nothing is', () => {
  const lines = new ProgressLines('new');
  assert.deepEqual(
    ['read', 'read', 'write', 'read'].map((tool, index) => lines.add(call(tool, `${index}`), 0)),
    [true, false, true, true],
  );
  for (const mode of ['off', 'log'] as const) assert.equal(new ProgressLines(mode).add(call('read', ''), 0), false);
});

test('a preview ends with a cursor that the final text does not have', () => {
  assert.equal(withCursor('Hello', ' ▉'), 'Hello ▉');
  assert.equal(withCursor(' ', ' ▉'), '');
  assert.equal(withoutCursor('Hello ▉', ' ▉'), 'Hello');
  assert.equal(withoutCursor('Hello', ''), 'Hello');
});

test('a preview that outgrows its message goes on in the next one, at a line break and with its code block', () => {
  const rules = { limit: 2000, unit: 'codepoint', cursor: ' ▉' } as const;
  assert.equal(overflow('x'.repeat(1898), rules), undefined);
  assert.deepEqual(overflow('x'.repeat(1899), rules), { done: 'x'.repeat(1898), rest: 'x' });
  assert.deepEqual(overflow(`${'x'.repeat(1500)}\n${'y'.repeat(500)}`, rules), {
    done: 'x'.repeat(1500),
    rest: 'y'.repeat(500),
  });
  const code = overflow(`\`\`\`js\n${'let a;\n'.repeat(400)}`, rules);
  assert.match(code?.done ?? '', /let a;\n```$/);
  assert.match(code?.rest ?? '', /^```js\nlet a;/);
  assert.ok((code?.done.length ?? 0) <= 2000);
});

test("the footer is off by default, and each part of it is the platform's own or the general one", () => {
  const of = (display: WrittenDisplay) => chatDisplay('signal', display, false).runtime_footer;
  const platforms = { signal: { runtime_footer: { fields: ['model'] } } };
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ platforms }), []);
  assert.deepEqual(of({ runtime_footer: { enabled: true } }), ['model', 'context_pct', 'cwd']);
  assert.deepEqual(of({ runtime_footer: { enabled: true }, platforms }), ['model']);
  const silent = { signal: { runtime_footer: { enabled: false } } };
  assert.deepEqual(of({ runtime_footer: { enabled: true }, platforms: silent }), []);
});

test('a footer leaves out what nobody knows, and shortens the model and the folder', () => {
  const fields = ['model', 'context_pct', 'cwd', 'weather'];
  const place = { cwd: '/home/ann/work', userHome: '/home/ann' };
  const facts = { model: 'openai/gpt-5', promptTokens: 500, contextLength: 1000 };
  assert.equal(footerLine(fields, facts, place), 'gpt-5 · 50% · ~/work');
  assert.equal(footerLine(fields, { ...facts, promptTokens: undefined }, place), 'gpt-5 · ~/work');
  assert.equal(footerLine(['cwd'], facts, { ...place, cwd: '/home/anna' }), '/home/anna');
  assert.equal(footerLine([], facts, place), '');
});
