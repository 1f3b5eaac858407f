/** The demo model works offline, uses the tools it is offered, and says what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDemoModel } from '../../../src/models/demo/demo-model.ts';
import type { HistoryMessage, ToolCall } from '../../../src/llm/message.ts';
import { ask, askInVain } from '../../llm/protocols/ask.ts';

const toolsNamed = (...names: string[]) =>
  names.map((name) => ({ name, description: name, parameters: { type: 'object' } }));
const allTools = toolsNamed('read_file', 'search_files', 'terminal', 'todo', 'write_file');

async function callFor(content: string, tools = allTools): Promise<readonly [string, unknown] | undefined> {
  const { done } = await ask(createDemoModel(), { messages: [{ role: 'user', content }], tools });
  const call = done.message.tool_calls?.[0];
  return call === undefined ? undefined : [call.function.name, JSON.parse(call.function.arguments)];
}

test('a conversation is named by the words it began with, not by a greeting', async () => {
  const content = `Title?\n=====\nUser: water the plants on the balcony every second day\n=====`;
  const { done } = await ask(createDemoModel(), { messages: [{ role: 'user', content }], tools: [] });
  assert.equal(done.message.content, 'water the plants on the balcony every');
});

const phrases: readonly (readonly [string, string, object])[] = [
  ['list files in src', 'search_files', { pattern: '*', target: 'files', path: 'src' }],
  ['List the files in the src folder.', 'search_files', { pattern: '*', target: 'files', path: 'src' }],
  ['what files are here?', 'search_files', { pattern: '*', target: 'files', path: '.' }],
  ['Please show me the files in this directory', 'search_files', { pattern: '*', target: 'files', path: '.' }],
  ['find files named *.ts in src', 'search_files', { pattern: '*.ts', target: 'files', path: 'src' }],
  ['read README.md', 'read_file', { path: 'README.md' }],
  ['Can you read the file `src/my.ts`?', 'read_file', { path: 'src/my.ts' }],
  ['what is in package.json?', 'read_file', { path: 'package.json' }],
  ['show me the contents of LICENSE', 'read_file', { path: 'LICENSE' }],
  ['run `ls -la`', 'terminal', { command: 'ls -la' }],
  ['run echo hi', 'terminal', { command: 'echo hi' }],
  ['please run the command `git status` now', 'terminal', { command: 'git status' }],
  ['search for TODO in src', 'search_files', { pattern: 'TODO', path: 'src' }],
  ['find "a.b(c)"', 'search_files', { pattern: 'a\\.b\\(c\\)', path: '.' }],
  [
    'add a todo: water the plants',
    'todo',
    { todos: [{ id: 'water-the-plants', content: 'water the plants', status: 'pending' }], merge: true },
  ],
  [
    'remember to call Ann',
    'todo',
    { todos: [{ id: 'call-ann', content: 'call Ann', status: 'pending' }], merge: true },
  ],
  ['show my todos', 'todo', {}],
  ['write "hello world" to notes.txt', 'write_file', { path: 'notes.txt', content: 'hello world\n' }],
];

for (const [phrase, tool, args] of phrases) {
  test(`"${phrase}" calls ${tool}`, async () => {
    assert.deepEqual(await callFor(phrase), [tool, args]);
  });
}

test('a tool that is not offered is not called', async () => {
  assert.deepEqual(await callFor('list files in my dir', toolsNamed('terminal')), [
    'terminal',
    { command: "ls -la -- 'my dir'" },
  ]);
  assert.equal(await callFor('list files', []), undefined);
  assert.equal(await callFor('read README.md', toolsNamed('terminal')), undefined);
});

test('small talk is greeted with what can be done, streamed in pieces', async () => {
  const { text, events, done } = await ask(createDemoModel(), {
    messages: [{ role: 'user', content: 'How are you?' }],
    tools: toolsNamed('terminal'),
  });
  assert.match(text, /run `ls -la`/);
  assert.doesNotMatch(text, /read README/);
  assert.match(text, /demo model.*`hermes setup`.*`npm start -- setup`/s);
  assert.ok(events.filter((event) => event.type === 'text').length > 3);
  assert.equal(done.message.content, text);
  assert.equal(done.stopReason, 'stop');
});

test('a conversation is named by its first words, when a name is asked for', async () => {
  const content = '==========\nUser: write "hello" to notes.txt and then read it again\n\nAssistant: Done.\n==========';
  const { text } = await ask(createDemoModel(), { messages: [{ role: 'user', content }], tools: [] });
  assert.equal(text, 'write "hello" to notes.txt and then read');
});

test('results are told in words, errors included', async () => {
  const told = async (name: string, result: string) => {
    const call: ToolCall = { id: 'a', type: 'function', function: { name, arguments: '{}' } };
    const messages: HistoryMessage[] = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: result },
    ];
    const answered = await ask(createDemoModel(), { messages, tools: allTools });
    assert.equal(answered.done.message.tool_calls, undefined);
    assert.match(answered.text, /offline demo model/);
    return answered.text;
  };
  assert.match(await told('terminal', '{"output":"hi\\n","exit_code":0,"error":null}'), /succeeded.*```\nhi\n```/s);
  assert.match(await told('terminal', '{"output":"","exit_code":3,"error":null}'), /exit code 3 and printed nothing/);
  assert.match(await told('read_file', '{"content":"1|# Hi","total_lines":1}'), /has 1 line:\n```\n1\|# Hi/);
  assert.match(
    await told('search_files', '{"total_count":2,"files":["a.ts","b.ts"]}'),
    /Found 2 files:\n- a\.ts\n- b\.ts/,
  );
  assert.match(
    await told('search_files', '{"total_count":40,"matches":[{"path":"a","line":3,"content":" x "}]}'),
    /- a:3 x\n- … and 39 more/,
  );
  assert.match(await told('search_files', '{"total_count":0,"matches":[]}'), /Nothing was found/);
  assert.match(await told('todo', '{"todos":[{"id":"1","content":"plants","status":"completed"}]}'), /- \[x\] plants/);
  assert.match(await told('read_file', '{"error":"no such file"}'), /did not work: no such file/);
  assert.match(await told('other', 'plain words'), /other answered:\n```\nplain words/);
});

test('the same request gets the same answer, another history another call id', async () => {
  const request = { messages: [{ role: 'user', content: 'run pwd' }], tools: allTools } as const;
  const first = await ask(createDemoModel(), request);
  assert.deepEqual((await ask(createDemoModel(), request)).events, first.events);
  const later = await ask(createDemoModel(), {
    ...request,
    messages: [{ role: 'user', content: 'hello' }, { role: 'assistant', content: 'hi' }, ...request.messages],
  });
  assert.match(first.done.message.tool_calls?.[0]?.id ?? '', /^call_[0-9a-f]{12}$/);
  assert.notEqual(later.done.message.tool_calls?.[0]?.id, first.done.message.tool_calls?.[0]?.id);
});

test('an interrupted demo answer is aborted', async () => {
  const { error } = await askInVain(createDemoModel(), {}, AbortSignal.abort());
  assert.equal(error.kind, 'aborted');
});
