/** What stands around the input box, and what is done with a text before it is sent. */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { queueLines, todoLines } from '../../../src/cli/interactive/above-input.ts';
import { KeyHelp } from '../../../src/cli/interactive/key-help.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openBusyPane, openPane } from './tmux.ts';

const skip = noTmux;
const colors = colorsFor({ isTTY: false }, { color: true });

test('the open steps are shown compactly, the one that is worked on first', () => {
  const step = (content: string, status: 'pending' | 'in_progress' | 'completed' | 'cancelled') => ({
    id: content,
    content,
    status,
  });
  const steps = [
    step('a', 'completed'),
    step('b', 'pending'),
    step('c', 'in_progress'),
    step('d', 'cancelled'),
    step('e', 'pending'),
  ];
  const room = { columns: 40, rows: 30 };
  assert.deepEqual(todoLines(steps, room, colors), [' 1/4 ▸ c', '     ☐ b', '     ☐ e']);
  assert.deepEqual(todoLines(steps, { columns: 40, rows: 12 }, colors), [' 1/4 ▸ c … and 2 more']);
  assert.deepEqual(todoLines([step('a', 'completed')], room, colors), []);
  const many = Array.from({ length: 9 }, (_, n) => step(`step ${n} ${'x'.repeat(90)}`, 'pending'));
  const lines = todoLines(many, room, colors);
  assert.ok(lines.length === 4 && lines.every((line) => line.replace(/\u001b\[[\d;]*m/g, '').length <= 40));
  assert.deepEqual(queueLines([], room, colors), []);
});

test('the list of the todo tool stays in sight while it is open', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const todos = (status: string) => [
    { id: '1', content: 'write the tests', status },
    { id: '2', content: 'write the docs', status: status === 'completed' ? 'completed' : 'pending' },
  ];
  const call = (status: string) => ({ toolCalls: [{ name: 'todo', arguments: { todos: todos(status) } }] });
  server.enqueue(call('in_progress'), { text: 'Begun.' }, call('completed'), { text: 'All done.' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/Begun\.\n[^]*\n 0\/2 ▸ write the tests\n {5}☐ write the docs\n─+\n❯/);
  pane.enter('on');
  assert.doesNotMatch(await pane.sees(/All done\.[^]*\n─/), /^ \d\/2 ▸/m);
});

test('messages that wait stand above the box; one key queues, another steers, a third takes back', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = await openBusyPane(t, server);
  pane.type('first later');
  pane.keys('M-q');
  await pane.sees(/ ⧗ 1 first later\n[^\n]*Alt\+Up takes the last one back[^\n]*\n─/);
  pane.type('second later');
  pane.keys('M-q');
  await pane.sees(/ ⧗ 1 first later\n ⧗ 2 second later\n/);
  pane.type('a hint');
  pane.keys('M-s');
  await pane.sees(/Steering: a hint/);
  pane.keys('M-Up');
  const screen = await pane.sees(/ ⧗ 1 first later\n[^\n]*Alt\+Up[^\n]*\n─+\n❯ second later\n/);
  assert.doesNotMatch(screen, /⧗ 2/);
});

test('? shows the keys until the next one, which is typed', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = openPane(t, makePlace(t, server), [], { rows: 50 });
  await pane.sees(/Type a message/);
  pane.type('?');
  await pane.sees(/ Keys\n Enter +send[^]*Any key closes this/);
  pane.type('hello?');
  assert.doesNotMatch(await pane.sees(/❯ hello\?/), /Any key closes/);
  const narrow = new KeyHelp(colors, () => undefined).render(40);
  assert.deepEqual(
    narrow.slice(0, -1).filter((line) => line.includes('…')),
    [],
  );
});

test('Escape twice lets an earlier message be written anew', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'An answer.' }) });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  for (const question of ['the first one', 'the second one']) {
    pane.enter(question);
    await pane.sees(new RegExp(`${question}\\n[^]*An answer\\.[^]*❯ *\\n`));
  }
  pane.keys('Escape');
  await pane.sees(/Esc again: edit an earlier message/);
  pane.keys('Escape');
  await pane.sees(/Which message shall be edited\?[^]*the second one\n +the first one/);
  pane.keys('Down', 'Enter');
  await pane.sees(/Taken back[^]*❯ the first one\n/);
  pane.type(', corrected');
  pane.keys('Enter');
  await pane.sees(/❯ the first one, corrected\n/);
  const { messages } = await server.requestArrived(3).then(({ body }) => body);
  assert.deepEqual(
    messages.slice(1).map(({ content }) => content),
    ['the first one, corrected'],
  );
});

test('a draft is put aside and comes back, goes to the editor, and Ctrl+T finds what was said', { skip }, async (t) => {
  await using server = await startModelServer({
    title: 'A title',
    respond: () => ({ text: 'The **needle** is here.' }),
  });
  const place = makePlace(t, server);
  place.write(
    '../../work/my-editor',
    '#!/bin/sh\nfor file in "$@"; do :; done\nsed -i "s/draft/finished draft/" "$file"\n',
  );
  chmodSync(join(place.work, 'my-editor'), 0o755);
  const pane = openPane(t, place, [], { env: { EDITOR: join(place.work, 'my-editor') } });
  await pane.sees(/Type a message/);
  pane.type('my draft');
  pane.keys('C-s');
  await pane.sees(/put aside; Ctrl\+S on an empty line[^]*❯ *\n/);
  pane.keys('C-s');
  await pane.sees(/❯ my draft\n/);
  pane.keys('C-g');
  await pane.sees(/❯ my finished draft\n[^]*The needle is here\./);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'my finished draft');
  pane.keys('C-t');
  await pane.sees(/What was said and done[^]*Hermes: The \*\*needle\*\*[^]*You: my finished draft/);
  pane.type('needle');
  pane.keys('Enter');
  await pane.sees(/Hermes:\n The needle is here\.\n/);
  pane.type('another draft');
  pane.keys('C-x', 'C-e');
  await pane.sees(/❯ another finished draft\n/);
});

test('!command runs here and goes along with the next message, !! keeps it to oneself', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'I see.' }) });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('!echo see @file:notes.md; echo "key=${OPENAI_API_KEY-none}"; exit 3');
  await pane.sees(/see @file:notes\.md\nkey=none\n\[exit code 3\]\n[^\n]*goes along with your next message/);
  pane.enter('!!echo for me alone');
  await pane.sees(/\nfor me alone\n/);
  assert.equal(server.requests.length, 0);
  pane.enter('what does it say?');
  await pane.sees(/❯ what does it say\?\n[^]*I see\./);
  const sent = server.lastRequest.body.messages.at(-1)?.content;
  assert.match(
    typeof sent === 'string' ? sent : '',
    /^what does it say\?\n\n\[I ran this here myself \(exit code 3\):\]\n\$ echo see[^]*see @file:notes\.md\nkey=none$/,
  );
  assert.doesNotMatch(server.lastRequest.rawBody, /for me alone/);
  pane.enter('!sleep 30');
  await pane.sees(/running sleep 30/);
  pane.keys('Escape');
  await pane.sees(/\[stopped\]/);
  pane.enter('/status');
  await pane.sees(/You said: what does it say\?\n/);
});
