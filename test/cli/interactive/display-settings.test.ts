/** The settings of `display` and the variables that change how the chat looks. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripMarkdown } from '../../../src/cli/render/strip-markdown.ts';
import { contentOf } from '../../agent/support.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;
const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, n) => `${word} ${n + 1}`).join('\n');

test('without streaming an answer stands there at once, with the beginning of what was thought', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const { promise: rest, resolve: go } = Promise.withResolvers<void>();
  const thought = { text: 'Some **bold** words.', reasoning: lines(12, 'thought') };
  server.enqueue({ ...thought, gateAfterFirst: rest }, thought, { text: '' }, { text: '' }, { text: '' }, { text: '' });
  const display =
    'streaming: false, show_reasoning: true, final_response_markdown: raw, turn_completion_explainer: false';
  const pane = openPane(
    t,
    makePlace(t, server, `display: {${display}, user_message_preview: {first_lines: 1, last_lines: 1}}\n`),
  );
  await pane.sees(/Type a message/);
  pane.paste('first\nsecond\nthird');
  pane.keys('Enter');
  const begun = await pane.sees(/❯ first\n… 1 more line\nthird\n[\s\S]*(?:thinking|answering)/);
  assert.doesNotMatch(begun, /thought 1/);
  go();
  const done = await pane.sees(/thought 10\n… 2 more lines; \/reasoning full shows them\n\nSome \*\*bold\*\* words\./);
  assert.doesNotMatch(done, /thought 11/);
  pane.enter('/reasoning full');
  await pane.sees(/Reasoning is shown, all of it/);
  pane.enter('again');
  await pane.sees(/thought 12\n\nSome/);
  pane.enter('and nothing');
  assert.doesNotMatch(await pane.sees(/\(empty\)/), /four times/);
});

test('marks of Markdown are taken out when they are to be stripped; code and schedules stay', async (t) => {
  const text =
    '## Title\n\n**Bold**, *thin*, `__init__` and [a link](https://x.example).\n\n```py\n__init__ = "*a*"\n```\n\n* * * * *\n- item_one\n';
  const plain = 'Title\n\nBold, thin, __init__ and a link.\n\n__init__ = "*a*"\n\n* * * * *\n- item_one\n';
  assert.equal(stripMarkdown(text), plain);
  if (skip !== false) return;
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text });
  const pane = openPane(t, makePlace(t, server, 'display: {final_response_markdown: strip}\n'));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/Bold, thin, __init__ and a link\.\n\n__init__ = "\*a\*"\n\n\* \* \* \* \*\n- item_one/);
});

test('an answered question leaves a line, unless that is switched off', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const call = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] };
  const place = makePlace(t, server);
  for (const [more, note] of [
    ['', /⚠ rm -r victim → no\n/],
    ['display: {persist_prompts: false}\n', undefined],
  ] as const) {
    server.enqueue(call, { text: 'Understood.' });
    place.write('config.yaml', place.read('config.yaml') + more);
    const pane = openPane(t, place);
    await pane.sees(/Type a message/);
    pane.enter('remove it');
    await pane.sees(/→ \d no\n/);
    pane.keys('Enter');
    const screen = await pane.sees(/Understood/);
    if (note === undefined) assert.doesNotMatch(screen, /→ no/);
    else assert.match(screen, note);
    pane.close();
  }
});

test('what comes with many line breaks at once was pasted, even when the terminal does not say so', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'got it' }) });
  const place = makePlace(t, server);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.pasteBare(lines(8, 'line'));
  await pane.sees(/❯ \[Pasted text #1: 8 lines → /);
  assert.equal(readdirSync(join(place.home, 'pastes')).length, 1);
  pane.keys('Enter');
  await pane.sees(/got it/);
  assert.deepEqual(
    server.requests.map(({ body }) => body.messages.at(-1)?.content),
    [lines(8, 'line')],
  );
});

test('a personality is there from the start, and the next conversation keeps the one that was chosen', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Aye.' }) });
  const place = makePlace(t, server, 'display: {personality: Pirate}\n');
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  const system = (): string => JSON.stringify(server.lastRequest.body.messages[0]);
  pane.enter('hi');
  await pane.sees(/Aye\./);
  assert.match(system(), /pirate/i);
  pane.enter('/personality noir');
  await pane.sees(/Personality: noir/);
  pane.enter('/new now');
  await pane.sees(/New session started/);
  pane.enter('hi again');
  await pane.sees(/❯ hi again\n[\s\S]*Aye\./);
  await server.requestArrived(2);
  assert.doesNotMatch(system(), /pirate/i);
  assert.match(system(), /noir|detective/i);
  assert.match(place.read('config.yaml'), /personality: noir/);
});

test('variables still the spinner, shorten the welcome and show the prompt before the agent is there', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'beginning', gateAfterFirst: never });
  const env = { HERMES_SPINNER_PAUSE: '1', HERMES_FAST_STARTUP_BANNER: '1', HERMES_DEFER_AGENT_STARTUP: '1' };
  const pane = openPane(t, makePlace(t, server), [], { env, columns: 100 });
  await pane.sees(/❯/);
  pane.enter('typed early');
  const screen = await pane.sees(/· answering \(/);
  assert.doesNotMatch(screen, /Tools:/);
  assert.match(screen, /Type a message[\s\S]*❯ typed early/);
  pane.keys('C-c', 'C-c');
  assert.equal(await pane.ended(), 130);
});

test('the status bar counts how often the conversation was shortened', { skip }, async (t) => {
  const summary = `## Goal\nCount to ${'seven, '.repeat(10)}\n## Completed Actions\nNone.\n## Historical Remaining Work\nNone.`;
  await using server = await startModelServer({
    title: 'A title',
    respond: ({ body }) => ({
      text: contentOf(body.messages.at(-1)).includes('handover summary') ? summary : 'so it is. '.repeat(40),
    }),
  });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) {
    pane.enter(`say ${word}`);
    await pane.sees(new RegExp(`say ${word}\\n[\\s\\S]*so it is\\.[\\s\\S]*✓`));
  }
  pane.enter('/compress here 1');
  await pane.sees(/Compressed \d+ messages[\s\S]*│ 🗜️? ?1 │/u);
});

test('the welcome names the skills by category, a few of each, and nothing of them where there is little room', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  const add = (path: string): string =>
    place.write(
      `skills/${path}/SKILL.md`,
      `---\nname: ${path.split('/').at(-1)}\ndescription: About ${path}\n---\nDo it.\n`,
    );
  for (let n = 0; n < 10; n += 1) add(`many/s${n}`);
  for (let n = 0; n < 10; n += 1) add(`rest${n}/r${n}`);
  add('long/a-name-that-fills-most-of-the-room');
  add('long/b-name-too');
  const wide = openPane(t, place, [], { columns: 100 });
  const screen = (await wide.sees(/Type a message/)).replaceAll(/\n\s*/g, ' ');
  assert.match(
    screen,
    /Skills: long \(a-name-that-fills-most-of-the-room, \+1 more\) · many \(s0, s1, s2, s3, s4, s5, s6, s7, \+2 more\) · rest0 \(r0\)/,
  );
  assert.match(screen, /rest7 \(r7\) · 2 more categories: \/skills/);
  const narrow = openPane(t, place, [], { columns: 60 });
  assert.doesNotMatch(await narrow.sees(/Type a message/), /Skills:|Tools:/);
});

test('skills of the start are named in the first conversation, and no more after /clear', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  place.write('skills/dev/greet/SKILL.md', '---\nname: greet\ndescription: How to greet\n---\nSay hello politely.\n');
  const pane = openPane(t, place, ['-s', 'greet']);
  await pane.sees(/Type a message[^\n]*\nActivated skills: greet\n/);
  pane.type('/clear now');
  await pane.sees(/❯ \/clear now\n─/);
  pane.keys('Enter');
  await pane.sees(/Type a message[^\n]*\n\s*─/);
  assert.doesNotMatch(pane.coloured(), /Activated/);
});
