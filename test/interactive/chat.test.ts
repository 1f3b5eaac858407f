/** The interactive chat, as a person at a terminal meets it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOf } from '../agent/support.ts';
import { makePlace } from '../cli/hermes-process.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('a question is answered with rendered Markdown, and leaving says how to come back', { skip }, async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: '# Title\n\nSome **bold** words and `code`.\n\n- item one\n- item two\n' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('hello there');
  pane.keys('Enter');
  const screen = await pane.sees(/item two/);
  assert.match(screen, /❯ hello there/);
  assert.doesNotMatch(screen, /\*\*bold\*\*/);
  pane.type('/quit');
  pane.keys('Enter');
  assert.equal(await pane.ended(), 0);
  assert.match(pane.screen(), /Resume this session with:\s+hermes --resume \d{8}_\d{6}_[0-9a-f]{6}/);
  assert.match(pane.screen(), /Messages: 2 \(1 user, 0 tool calls\)/);
});

test('a dangerous command is asked about, and Enter alone means no', { skip }, async (t) => {
  await using server = await startModelServer();
  const place = makePlace(t, server);
  const victim = join(place.work, 'victim');
  mkdirSync(victim);
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] },
    { text: 'Understood, kept.' },
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] },
    { text: 'Now it is gone.' },
  );
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.type('remove it');
  pane.keys('Enter');
  await pane.sees(/needs your approval[\s\S]*rm -r victim[\s\S]*→ deny/);
  pane.keys('Enter');
  await pane.sees(/Understood, kept/);
  assert.ok(existsSync(victim));
  assert.match(pane.screen(), /terminal {2}rm -r victim .*\[refused\]/);
  pane.type('really');
  pane.keys('Enter');
  await pane.sees(/→ deny/);
  pane.keys('Up', 'Up', 'Up');
  await pane.sees(/→ once/);
  pane.keys('Enter');
  await pane.sees(/Now it is gone/);
  assert.ok(!existsSync(victim));
});

test('Ctrl+C stops the turn, clears the line, then leaves', { skip }, async (t) => {
  await using server = await startModelServer();
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'beginning of an answer that never ends', gateAfterFirst: never });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('go');
  pane.keys('Enter');
  await pane.sees(/beginning/);
  pane.keys('C-c');
  await pane.sees(/Interrupted\./);
  pane.type('half a thought');
  await pane.sees(/half a thought/);
  pane.keys('C-c');
  await pane.sees(/─\n❯\s*\n─/);
  pane.keys('C-c');
  assert.equal(await pane.ended(), 0);
  assert.equal(await server.requests[0]?.closed, true);
});

test('a message typed while a turn runs stops it and is answered next', { skip }, async (t) => {
  await using server = await startModelServer();
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'a long story', gateAfterFirst: never }, { text: 'short answer' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('tell me a story');
  pane.keys('Enter');
  await pane.sees(/a long/);
  pane.type('no, be brief');
  pane.keys('Enter');
  await pane.sees(/short answer/);
  const contents = server.lastRequest.body.messages.filter((m) => m.role === 'user').map((m) => m.content);
  assert.deepEqual(contents, ['tell me a story\nno, be brief']);
  assert.deepEqual(server.violations, []);
});

test('several lines: typed with Alt+Enter and pasted whole', { skip }, async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'got it' }) });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('first');
  pane.keys('M-Enter');
  pane.type('second');
  pane.keys('Enter');
  await pane.sees(/got it/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'first\nsecond');
  const pasted = Array.from({ length: 20 }, (_, n) => `pasted line ${n}`).join('\n');
  pane.paste(pasted);
  await pane.sees(/paste/i);
  assert.equal(server.requests.length, 1);
  pane.keys('Enter');
  await server.requestArrived(2);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, pasted);
});

test('commands: help, an unknown one, queue while busy, undo, and a new session', { skip }, async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'slow answer', gate: gate.promise }, { text: 'second answer' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  const run = (line: string): void => {
    pane.type(line);
    pane.keys('Enter');
  };
  run('/help ');
  await pane.sees(/\/steer <prompt>/);
  run('/zzz ');
  await pane.sees(/Unknown command: \/zzz[\s\S]*Type \/help for available commands/);
  assert.equal(server.requests.length, 0);
  run('first question');
  await server.requestArrived(1);
  run('/queue later question');
  await pane.sees(/Queued for the next turn: later question/);
  gate.resolve();
  await pane.sees(/second answer/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'later question');
  run('/undo now');
  await pane.sees(/Removed 2 messages, from: later question/);
  run('/new now demo');
  await pane.sees(/New session started: \d{8}_/);
  run('/status ');
  await pane.sees(/State: +idle/);
});

test('a resumed session shows what was said and goes on with it', { skip }, async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'The capital is Paris.' }, { text: 'As I said, Paris.' });
  const place = makePlace(t, server);
  const first = openPane(t, place);
  await first.sees(/Type a message/);
  first.type('capital of France?');
  first.keys('Enter');
  await first.sees(/Paris/);
  first.keys('C-d');
  await first.ended();
  const second = openPane(t, place, ['-c']);
  await second.sees(/Previous Conversation[\s\S]*● capital of France\?[\s\S]*◆ The capital is Paris\./);
  second.type('again?');
  second.keys('Enter');
  await second.sees(/As I said, Paris/);
  assert.equal(server.lastRequest.body.messages.filter((m) => m.role === 'user').length, 2);
  assert.equal(server.lastRequest.body.messages[0]?.content, server.requests[0]?.body.messages[0]?.content);
});

test('what a model writes cannot touch the terminal', { skip }, async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'before \u001b]0;owned\u0007\u001b[2J\u001b[31mafter\u0007' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('hi');
  pane.keys('Enter');
  const screen = await pane.sees(/before after/);
  assert.match(screen, /Type a message/);
});

test('a failing model is one line, and the chat goes on', { skip }, async (t) => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 401, body: { error: { message: 'invalid key' } } }, { text: 'back again' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('hi');
  pane.keys('Enter');
  await pane.sees(/invalid key/);
  pane.type('hi');
  pane.keys('Enter');
  await pane.sees(/back again/);
});

test('it fits a narrow terminal, and works without colour', { skip }, async (t) => {
  await using server = await startModelServer({
    respond: () => ({ text: 'a long answer that has to be wrapped somewhere' }),
  });
  const pane = openPane(t, makePlace(t, server), [], { columns: 30, rows: 20, env: { NO_COLOR: '1' } });
  await pane.sees(/Type a message/);
  pane.type('hi');
  pane.keys('Enter');
  const screen = await pane.sees(/wrapped/);
  for (const line of screen.split('\n')) assert.ok(line.length <= 30, line);
});

test('with nothing set up a terminal gets the demo, and is told so', { skip }, async (t) => {
  const pane = openPane(t, makePlace(t));
  await pane.sees(/Demo mode: .*\n?.*hermes setup/);
  pane.type('run echo works');
  pane.keys('Enter');
  await pane.sees(/terminal {2}echo works/);
  await pane.sees(/offline demo model/);
});

test('the end of a background process is shown and told to the agent', { skip }, async (t) => {
  await using server = await startModelServer();
  const command = 'sleep 0.5; echo built';
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command, background: true, notify_on_complete: true } }] },
    { text: 'Started the build.' },
    { text: 'The build is done.' },
  );
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('build it');
  pane.keys('Enter');
  await pane.sees(/The build is done/);
  assert.match(contentOf(server.lastRequest.body.messages.at(-1)), /^\[System: [\s\S]*built/);
  assert.deepEqual(server.violations, []);
});
