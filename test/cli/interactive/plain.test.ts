/** The chat for screen readers and terminals that can do nothing: line by line. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('a whole conversation goes without a drawn screen: answers, approvals, lists, commands, leaving', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  const victim = join(place.work, 'victim');
  mkdirSync(victim);
  const remove = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] };
  server.enqueue(
    { text: '# Title\n\nSome **bold** words:\n\n```sh\nls *a*\n```\n' },
    remove,
    { text: 'Kept.' },
    remove,
    { text: 'Gone.' },
  );
  const log = join(place.work, 'bytes');
  const pane = openPane(t, place, ['--plain']);
  pane.record(log);
  await pane.sees(/Type a message[^]*\n❯$/);
  pane.enter('hello');
  await pane.sees(/❯ hello\n\nWorking\.\n\nTitle\n\nSome bold words:\n\nls \*a\*\n[^]*❯$/);
  pane.enter('remove it');
  await pane.sees(
    / {2}terminal {2}rm -r victim\n[^]*needs your approval[^]*\n {2}5 no\n {2}6 no, and say why: [^]*Number, or Enter for 5:$/,
  );
  pane.enter('what?');
  await pane.sees(/Please answer with a number from 1 to 6\.\nNumber, or Enter for 5:$/);
  pane.keys('Enter');
  await pane.sees(/⚠ rm -r victim → no\n[^]*Kept\.[^]*❯$/);
  assert.ok(existsSync(victim));
  pane.enter('really');
  await pane.sees(/❯ really[^]*Number, or Enter for 5:$/);
  pane.enter('1');
  await pane.sees(/Gone\.[^]*❯$/);
  assert.ok(!existsSync(victim));
  pane.enter('/voice on');
  await pane.sees(/cannot be turned on: it needs a terminal that is drawn, and this one is plain\.[^]*❯$/);
  pane.enter('/personality');
  await pane.sees(/Number, words to search, or Enter to leave:$/);
  pane.enter('pirate');
  await pane.sees(/to leave: pirate\n[^\n]*\n {2}1 pirate[^]*to leave:$/);
  pane.enter('1');
  await pane.sees(/Personality: pirate[^]*❯$/);
  pane.keys('C-d');
  assert.equal(await pane.ended(), 0);
  assert.match(pane.screen(), /Resume this session with:/);
  assert.doesNotMatch(readFileSync(log, 'utf8'), /\u001b/, 'no cursor is moved, nothing is coloured');
});

test('after a no of smart approval only once and no are offered', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server, 'approvals:\n  mode: smart\n');
  const victim = join(place.work, 'victim');
  mkdirSync(victim);
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] },
    { text: 'DENY' },
    { text: 'Gone.' },
  );
  const pane = openPane(t, place, ['--plain']);
  await pane.sees(/Type a message[^]*\n❯$/);
  pane.enter('remove it');
  await pane.sees(/Smart approval said no to it\.[^]*\n {2}1 yes, once: [^]*\n {2}2 no\n {2}3 no, and say why: /);
  pane.enter('1');
  await pane.sees(/Gone\.[^]*❯$/);
  assert.ok(!existsSync(victim));
});

test('TERM=dumb is plain by itself; a turn is stopped, lines that are pasted are one message', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'got it' }, { text: 'first line\nsecond', gateAfterFirst: never, pieceChars: 14 });
  const pane = openPane(t, makePlace(t, server), [], { env: { TERM: 'dumb' } });
  await pane.sees(/❯$/);
  pane.pasteBare('one\ntwo\nthree\n');
  await pane.sees(/got it[^]*❯$/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'one\ntwo\nthree');
  pane.enter('go on');
  await pane.sees(/first line$/);
  pane.keys('C-c');
  await pane.sees(/Interrupted\. The answer ends here[^]*❯$/);
  pane.keys('C-c');
  await pane.sees(/press Ctrl\+C again to leave/);
  pane.keys('C-c');
  assert.equal(await pane.ended(), 0);
});

test('line by line: view, a typed answer, a secret that is not shown, Ctrl+C', { skip }, async (t) => {
  const script = new URL('questions.ts', import.meta.url).pathname;
  const pane = openPane(t, makePlace(t), ['plain'], { node: [script] });
  await pane.sees(/▶ rm -rf[^]*5 view[^]*Number, or Enter for 3:$/);
  pane.enter('5');
  await pane.sees(/end-of-command[^]*Number, or Enter for 3:$/);
  pane.enter('');
  await pane.sees(/Which colour\?\n.*\n {2}1 red\n {2}2 green\n {2}3 Other: type an answer\nNumber, or Enter for 1:$/);
  pane.enter('Other');
  await pane.sees(/Which colour\?\n.*\n>$/);
  pane.enter('blue');
  await pane.sees(/What name\?\n.*\n>$/);
  pane.enter('Ada');
  await pane.sees(/What you type is not shown:$/);
  pane.type('secrex');
  pane.keys('BSpace');
  pane.enter('t');
  await pane.sees(/Cancelled\?[^]*Number, or Enter for 1:$/);
  assert.doesNotMatch(pane.screen(), /secre/);
  pane.keys('C-c');
  await pane.sees(/First\?[^]*Number, or Enter for 1:$/);
  pane.enter('1');
  await pane.sees(/Second\?[^]*Number, or Enter for 1:$/);
  pane.enter('2');
  await pane.sees(/\["deny","blue","Ada",6,"cancelled",\["a","d"\],"cancelled","cancel"\]/);
  assert.equal(await pane.ended(), 0);
});
