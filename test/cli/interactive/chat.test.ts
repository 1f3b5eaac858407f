/** The interactive chat, as a person at a terminal meets it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOf } from '../../agent/support.ts';
import { makePlace } from '../hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { noTmux, openBusyPane, openPane } from './tmux.ts';

const skip = noTmux;

test('a question is answered with rendered Markdown, and leaving says how to come back', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: '# Title\n\nSome **bold** words and `code`.\n\n- item one\n- item two\n' });
  const place = makePlace(t, server);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('hello there');
  const screen = await pane.sees(/item two/);
  assert.match(screen, /❯ hello there/);
  assert.doesNotMatch(screen, /\*\*bold\*\*/);
  assert.match(pane.title, /^⚕ .*work$/);
  pane.enter('/save');
  const [, saved = ''] = /Saved to \S*(sessions\/saved\/\S+\.json)/.exec(await pane.sees(/Saved to \S+\.json/)) ?? [];
  assert.match(place.read(saved), /"content": "hello there"/);
  pane.enter('/quit');
  assert.equal(await pane.ended(), 0);
  assert.match(pane.screen(), /Resume this session with:\s+hermes --resume \d{8}_\d{6}_[0-9a-f]{6}/);
  assert.match(pane.screen(), /Messages: 2 \(1 user, 0 tool calls\)/);
});

test('a dangerous command is asked about, and Enter alone means no', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
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
  pane.enter('remove it');
  await pane.sees(/needs your approval[\s\S]*rm -r victim[\s\S]*→ \d no\n/);
  pane.keys('Enter');
  await pane.sees(/Understood, kept/);
  assert.ok(existsSync(victim));
  assert.match(pane.screen(), /terminal {2}rm -r victim .*\[refused\]/);
  pane.enter('really');
  await pane.sees(/→ \d no\n/);
  pane.keys('1');
  await pane.sees(/Now it is gone/);
  assert.ok(!existsSync(victim));
});

test('Ctrl+C in a question of the agent says no and stops the turn', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  mkdirSync(join(place.work, 'victim'));
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] });
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('remove it');
  await pane.sees(/→ \d no\n/);
  pane.keys('C-c');
  await pane.sees(/Interrupted\./);
  assert.ok(existsSync(join(place.work, 'victim')));
  assert.equal(server.requests.length, 1);
  pane.keys('C-q');
  await pane.sees(/press Ctrl\+C again to leave/);
  pane.keys('C-q');
  assert.equal(await pane.ended(), 0);
});

test('no can be said with a reason, which the model reads', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] }, { text: 'I see.' });
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('remove it');
  await pane.sees(/rm -r victim[\s\S]*6 no, and say why/);
  pane.keys('6');
  await pane.sees(/Why not\?/);
  pane.enter('it holds my thesis');
  await pane.sees(/I see\./);
  assert.match(server.lastRequest.rawBody, /it holds my thesis/);
});

test('edits that failed are listed once under the answer', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const edit = { path: 'sub/__init__.py', old_string: 'not there', new_string: 'x' };
  server.enqueue({ toolCalls: [{ name: 'patch', arguments: edit }] }, { text: 'All **done**!' }, { text: 'Really.' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(
    /All done!\s+⚠️? ?File-mutation verifier: 1 file\(s\) were NOT modified this turn\s+- sub\/__init__\.py \(error\)/,
  );
  pane.enter('really?');
  const screen = await pane.sees(/Really\./);
  assert.equal(screen.split('NOT modified').length, 2);
});

test('Ctrl+C stops the turn, clears the line, then leaves', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = await openBusyPane(t, server);
  pane.keys('C-c');
  await pane.sees(/Interrupted\./);
  pane.type('half a thought');
  await pane.sees(/half a thought/);
  pane.keys('C-c');
  await pane.sees(/─\n❯\s*\n─/);
  pane.keys('Up');
  await pane.sees(/❯ half a thought/);
  pane.keys('C-c');
  await pane.sees(/Up brings it back, Ctrl\+C again leaves/);
  pane.keys('C-c');
  assert.equal(await pane.ended(), 0);
  assert.equal(await server.requests[0]?.closed, true);
});

test('Escape stops the turn and keeps what was said; what is typed meanwhile says what Enter would do', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const pane = await openBusyPane(t, server);
  server.enqueue({ text: 'Going on.' });
  pane.type('and then');
  await pane.sees(/Enter stops the agent and sends this now/);
  pane.keys('Escape');
  const screen = await pane.sees(/⏹ Interrupted\. The answer ends here; what was said is kept\./);
  assert.match(screen, /beginning[\s\S]*❯ and then/);
  pane.keys('Enter');
  await pane.sees(/Going on\./);
});

test('a command shows the end of what it prints while it runs, is folded after, and Ctrl+O opens it', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server);
  const command = 'seq 1001 1030; while [ ! -e go ]; do sleep 0.05; done; exit 127';
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command } }] },
    { toolCalls: [{ name: 'nosuchtool', arguments: {} }] },
    { text: 'All done.' },
  );
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('go');
  const running = await pane.sees(/1029\n +1030\n/);
  assert.doesNotMatch(running, /1025/);
  writeFileSync(join(place.work, 'go'), '');
  const folded = await pane.sees(
    /\[exit 127:\s+command not found\]\n +… 25 more lines · Ctrl\+O opens them\n +1026[\s\S]*All done/,
  );
  assert.doesNotMatch(folded, /1025/);
  assert.match(folded, /called 'nosuchtool', which does not exist/);
  pane.keys('C-o');
  await pane.sees(/command: seq 1001[\s\S]* 1001\n +1002\n[\s\S]* 1030\n[\s\S]*All done/);
  pane.keys('C-o');
  await pane.sees(/no tool call left to open/);
});

test('what is typed before the prompt is there is not lost', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'Heard you.' }) });
  const pane = openPane(t, makePlace(t, server), [], { before: 'starting' });
  await pane.sees(/starting/);
  pane.enter('an early question');
  pane.type('and more');
  await pane.sees(/❯ an early question/);
  await pane.sees(/Heard you\.[\s\S]*❯ and more/);
});

test('a message typed while a turn runs stops it and is answered next', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'a long story', gateAfterFirst: never }, { text: 'short answer' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('tell me a story');
  await pane.sees(/a long/);
  pane.enter('no, be brief');
  await pane.sees(/short answer/);
  const contents = server.lastRequest.body.messages.filter((m) => m.role === 'user').map((m) => m.content);
  assert.deepEqual(contents, ['tell me a story', 'no, be brief']);
  // What was said until then stays, here and for the model.
  await pane.sees(/a long[\s\S]*Interrupted\.[\s\S]*no, be brief[\s\S]*short answer/);
  assert.match(server.lastRequest.rawBody, /a long.*\[interrupted\]/);
  assert.deepEqual(server.violations, []);
});

test('commands: help, an unknown one, queue while busy, undo, and a new session', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'slow answer', gate: gate.promise }, { text: 'second answer' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('/help ');
  await pane.sees(/\/steer <prompt>/);
  pane.enter('/zzz ');
  await pane.sees(/Unknown command: \/zzz[\s\S]*Type \/help for available commands/);
  assert.equal(server.requests.length, 0);
  pane.enter('first question');
  await server.requestArrived(1);
  pane.enter('/queue later question');
  await pane.sees(/Queued for the next turn: later question/);
  gate.resolve();
  await pane.sees(/second answer/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'later question');
  pane.enter('/undo now');
  await pane.sees(/Removed 2 messages, from: later question/);
  // The question stands in the input again.
  pane.keys('C-c');
  await pane.sees(/cleared; Up brings it back/);
  pane.enter('/new now demo');
  await pane.sees(/New session started: \d{8}_/);
  pane.enter('/status ');
  await pane.sees(/State: +idle/);
  server.enqueue({ text: 'The skill is written.' });
  pane.enter('/learn the notes');
  assert.doesNotMatch(await pane.sees(/The skill is written/), /Make a skill/);
  assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /Make a skill[^]*the notes/);
});

test('a resumed session shows what was said and goes on with it', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
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
  await second.sees(
    /↻ Resumed session \d{8}_\S+ \(1 user message, 2 total messages\)\nPrevious Conversation[\s\S]*● capital of France\?[\s\S]*◆ The capital is Paris\./,
  );
  second.type('again?');
  second.keys('Enter');
  await second.sees(/As I said, Paris/);
  assert.equal(server.lastRequest.body.messages.filter((m) => m.role === 'user').length, 2);
  assert.equal(server.lastRequest.body.messages[0]?.content, server.requests[0]?.body.messages[0]?.content);
});

test('what a model writes cannot touch the terminal', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ text: 'before \u001b]0;owned\u0007\u001b[2J\u001b[31mafter\u0007' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('hi');
  const screen = await pane.sees(/before after/);
  assert.match(screen, /Type a message/);
});

test('a failing model is one line, and the chat goes on', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ fault: 'status', status: 401, body: { error: { message: 'invalid key' } } }, { text: 'back again' });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('hi');
  await pane.sees(/invalid key/);
  pane.enter('hi');
  await pane.sees(/back again/);
});

test('with nothing set up a terminal gets the demo, and is told so', { skip }, async (t) => {
  const pane = openPane(t, makePlace(t));
  await pane.sees(/Demo mode: .*\n?.*hermes setup/);
  pane.enter('run echo works');
  await pane.sees(/terminal {2}echo works/);
  await pane.sees(/offline demo model/);
});

test('the end of a background process is shown and told to the agent', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const command = 'sleep 0.5; echo built';
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command, background: true, notify_on_complete: true } }] },
    { text: 'Started the build.' },
    { text: 'The build is done.' },
  );
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('build it');
  await pane.sees(/The build is done/);
  assert.match(contentOf(server.lastRequest.body.messages.at(-1)), /^\[IMPORTANT: Background process [\s\S]*built/);
  assert.deepEqual(server.violations, []);
});

test('several lines: with Alt+Enter, with a backslash, and pasted', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'got it' }) });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.type('first');
  pane.keys('M-Enter');
  pane.enter('second\\');
  await pane.sees(/❯ first\n +second\n/);
  pane.paste('third\nfourth\nfifth');
  await pane.sees(/fourth\n +fifth/);
  assert.equal(server.requests.length, 0);
  pane.keys('Enter');
  await pane.sees(/got it/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'first\nsecond\nthird\nfourth\nfifth');
});

test('a long paste is one line in the box and one message, and nothing of it is changed', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'got it' }) });
  const place = makePlace(t, server);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  const pasted = Array.from({ length: 50 }, (_, n) => `\tpasted line ${n}`).join('\n');
  pane.type('look: ');
  pane.paste(pasted);
  await pane.sees(/❯ look: \[Pasted text #1: 50 lines → /);
  assert.equal(readdirSync(join(place.home, 'pastes')).length, 1);
  assert.equal(server.requests.length, 0);
  pane.keys('Enter');
  await pane.sees(/got it/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, `look: ${pasted}`);
  assert.match(pane.screen(), /❯ look:[\s\S]*pasted line 1\n… 46 more lines\n +pasted line 48\n/);
  assert.match(place.read('.hermes_history'), /^\+look: \[Pasted text #1: 50 lines → [^\]]*\]$/m);
});

test('a running command is stopped with Ctrl+C, and a second press leaves', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const sleeping = { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 30' } }] };
  server.enqueue(sleeping, sleeping);
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('wait');
  await pane.sees(/terminal sleep 30 \(\d/);
  pane.keys('C-c');
  await pane.sees(/\[exit 130: interrupted\][\s\S]*Interrupted\./);
  pane.enter('wait again');
  await server.requestArrived(2);
  await pane.sees(/terminal sleep 30 \(\d/);
  pane.keys('C-c', 'C-c');
  assert.equal(await pane.ended(), 130);
  assert.deepEqual(server.violations, []);
});

test('a question that nobody answers means no', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const place = makePlace(t, server, 'approvals:\n  timeout: 1\n');
  mkdirSync(join(place.work, 'victim'));
  server.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] },
    { text: 'Left alone.' },
  );
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('remove it');
  await pane.sees(/⏱ Timeout — denying command[\s\S]*Left alone/);
  assert.ok(existsSync(join(place.work, 'victim')));
});

test('questions: view, Other, typed answers, a hidden secret, Ctrl+C, one at a time', { skip }, async (t) => {
  const script = new URL('questions.ts', import.meta.url).pathname;
  const pane = openPane(t, makePlace(t), [], { columns: 60, node: [script] });
  await pane.sees(
    /▶ rm -rf\s+x+\s+x+…[\s\S]*1 yes, once[\s\S]*2 yes, session[\s\S]*→ 3 no\n +4 no, and say[\s\S]*5 view/,
  );
  assert.doesNotMatch(pane.screen(), /always|end-of-command/);
  pane.keys('5');
  await pane.sees(/end-of-command/);
  assert.doesNotMatch(pane.screen(), /5 view/);
  pane.keys('Enter');
  await pane.sees(/Which colour\?\n.*lets the agent decide\.\n→ 1 red\n +2 green\n +3 Other/);
  pane.keys('Up', 'Enter');
  await pane.sees(/Which colour\?\n.*\n *>/);
  pane.enter('blue');
  await pane.sees(/What name\?/);
  pane.enter('Ada');
  await pane.sees(/Password:/);
  pane.resize(20, 30);
  pane.type('p'.repeat(60));
  await pane.sees(/•••/);
  assert.doesNotMatch(pane.screen(), /pp/);
  pane.keys('Enter');
  await pane.sees(/Cancelled\?/);
  pane.resize(100, 30);
  pane.keys('C-c');
  await pane.sees(/First\?/);
  assert.doesNotMatch(pane.screen(), /Second/);
  pane.keys('Enter');
  await pane.sees(/Second\?/);
  pane.keys('Down', 'Enter');
  await pane.sees(/\["deny","blue","Ada",60,"cancelled",\["a","d"\],"cancelled","cancel"\]/);
  assert.equal(await pane.ended(), 0);
});

test('asked once, "yes, always" is remembered in the configuration', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'fine' }) });
  const place = makePlace(t, server);
  const pane = openPane(t, place);
  await pane.sees(/Type a message/);
  pane.enter('hello');
  await pane.sees(/fine/);
  pane.enter('/new');
  await pane.sees(/End this conversation[\s\S]*yes, once[\s\S]*yes, always[\s\S]*→ 3 no/);
  pane.keys('C-c');
  await pane.sees(/❯ *\n─/);
  pane.enter('/new');
  await pane.sees(/→ 3 no/);
  pane.keys('Up', 'Enter');
  await pane.sees(/New session started/);
  assert.match(place.read('config.yaml'), /destructive_slash_confirm: false/);
  pane.enter('hello again');
  await pane.sees(/hello again[\s\S]*fine/);
  pane.enter('/undo');
  await pane.sees(/Removed 2 messages/);
});

test('/copy reaches the clipboard, /model tells and refuses, tool lines can be off', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'an answer worth keeping' });
  const pane = openPane(t, makePlace(t, server, 'display:\n  tool_progress: off\n'));
  await pane.sees(/Type a message/);
  pane.enter('go');
  const screen = await pane.sees(/worth keeping/);
  assert.doesNotMatch(screen, /┊/);
  pane.enter('/copy');
  await pane.sees(/Copied 23 characters/);
  assert.equal(pane.clipboard, 'an answer worth keeping');
  pane.enter('/model openrouter:x');
  await pane.sees(/OPENROUTER_API_KEY/);
  pane.enter('/model');
  await pane.sees(/Model of this session: test-model[\s\S]*Esc close/);
});
