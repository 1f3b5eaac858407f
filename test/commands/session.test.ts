/** Slash commands that act on the conversation, on a real session and its store. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contentOf } from '../agent/support.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

/** What the model was sent by the last request, without the system prompt. */
const lastMessages = (server: Awaited<ReturnType<typeof startModelServer>>): string[] =>
  server.lastRequest.body.messages.slice(1).map((message) => `${message.role}: ${contentOf(message)}`);

const answering = () =>
  startModelServer({ respond: (request) => ({ text: `answer to: ${contentOf(request.body.messages.at(-1))}` }) });

test('/undo takes the last exchange back, here and in the store', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  assert.equal(await chat.type('/undo'), 'There is nothing to undo.');
  await chat.say('first');
  await chat.say('second');
  assert.equal(await chat.type('/undo'), 'Removed 2 messages, from: second');
  assert.deepEqual(chat.asked, ['Remove “second” and everything after it?']);
  assert.deepEqual(chat.offered, ['second'], 'to be changed and sent again');
  assert.equal(chat.session.agent.history.length, 2);
  assert.equal((await chat.store.messages.conversation(chat.session.id)).length, 2);
  await chat.say('third');
  assert.deepEqual(lastMessages(server), ['user: first', 'assistant: answer to: first', 'user: third']);
  assert.deepEqual(server.violations, []);
});

test('/undo N takes the last N questions back, at most all, and refuses what is no number', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  for (const text of ['first', 'second', 'third']) await chat.say(text);
  for (const bad of ['0', '-1', '2x', 'all', '1.5'])
    await assert.rejects(chat.type(`/undo ${bad}`), /from 1 on, not/, bad);
  assert.equal(chat.session.agent.history.length, 6);
  assert.equal(await chat.type('/undo 2'), 'Removed 4 messages, from: second');
  assert.equal(chat.session.agent.history.length, 2);
  assert.equal((await chat.store.sessions.get(chat.session.id))?.rewind_count, 1);
  assert.deepEqual(await chat.store.search.messages({ query: 'third' }), []);
  assert.equal(await chat.type('/undo 99 now'), 'Removed 2 messages, from: first');
  assert.deepEqual(await chat.store.messages.conversation(chat.session.id), []);
});

test('a question that is answered with no changes nothing', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await chat.say('first');
  chat.answer = false;
  const { id } = chat.session;
  for (const line of ['/undo', '/new', '/clear', '/quit --delete']) {
    assert.equal(await chat.type(line), `🟡 ${line.split(' ', 1)[0]} cancelled. Conversation unchanged.`);
  }
  assert.equal(chat.asked.length, 4);
  assert.equal(chat.session.id, id);
  assert.equal(chat.session.agent.history.length, 2);
  assert.equal(chat.quits, 0);
  assert.equal(await chat.type('/undo now'), 'Removed 2 messages, from: first');
  assert.equal(chat.asked.length, 4, 'now asks nothing');
});

test('/retry asks the last question again, and the first answer is gone', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'bad' }, { text: 'good' });
  const chat = await openConversation(t, server);
  assert.equal(await chat.type('/retry'), 'There is nothing to retry.');
  await chat.say('question');
  await chat.type('/retry');
  assert.deepEqual(lastMessages(server), ['user: question']);
  const stored = await chat.store.messages.conversation(chat.session.id);
  assert.deepEqual(
    stored.map((message) => message.content),
    ['question', 'good'],
  );
  assert.equal((await chat.store.sessions.get(chat.session.id))?.rewind_count, 0, 'nothing was taken back');
});

test('/new ends the conversation and begins one with a title of its own', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await chat.say('hello');
  const { id } = chat.session;
  const printed = await chat.type('/new My Title --yes');
  assert.notEqual(chat.session.id, id);
  assert.equal(printed, `New session started: ${chat.session.id}\nTitle: My Title`);
  assert.equal((await chat.store.sessions.get(id))?.end_reason, 'new_session');
  assert.equal((await chat.store.sessions.get(chat.session.id))?.source, 'test');
  await chat.say('again');
  assert.deepEqual(lastMessages(server), ['user: again']);
  assert.equal((await chat.store.sessions.get(chat.session.id))?.title, 'My Title');
});

test('/new with a title that is taken still begins a conversation, and that one works', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await chat.type('/title taken');
  await assert.rejects(chat.type('/new taken now'), /already in use/);
  assert.equal(await chat.say('hello'), 'answer to: hello');
});

test('/title shows and sets, before the first message too, and two sessions never share one', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/title'), /no title yet/);
  assert.equal(await chat.type('/title  My  Title\u200b'), 'Title: My Title');
  await chat.say('hello');
  assert.equal(await chat.type('/title'), 'My Title');
  await chat.type('/new now');
  await assert.rejects(chat.type('/title My Title'), /already in use/);
});

test('/resume goes on with an earlier conversation by number, title or id; alone it lists the others, as /sessions does', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/resume'), /no other conversation yet/);
  await chat.say('about apples');
  await chat.type('/title apples');
  const { id } = chat.session;
  await chat.type('/new now');
  await chat.say('about pears');
  const pears = chat.session.id;
  await chat.type('/new now');
  const listed = new RegExp(`^ 1\\. about pears  ·  just now  ·  ${pears}\n 2\\. apples  ·  just now  ·  ${id}\n`);
  assert.match(await chat.type('/resume'), listed);
  assert.match(await chat.type('/sessions list'), listed);
  await chat.type('/resume 1');
  assert.equal(chat.session.id, pears);
  await assert.rejects(chat.type('/sessions 2'), /no conversation 2/, 'the open one is not counted');
  await chat.type('/sessions [1]');
  assert.equal(chat.session.id, id);
  await chat.type(`/resume <${pears}>`);
  await assert.rejects(chat.type('/resume oranges'), /No session found matching 'oranges'/);
  await chat.type('/resume Apples'.replace('A', 'a'));
  assert.equal(chat.session.id, id);
  await chat.say('more');
  assert.deepEqual(lastMessages(server)[0], 'user: about apples');
  assert.equal((await chat.store.sessions.get(id))?.end_reason, null, 'it is open again');
  assert.equal(await chat.type(`/resume ${id}`), 'That is this conversation.');
  assert.deepEqual(server.violations, []);
});

test('/branch goes on with a copy, and the original stays as it was', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await assert.rejects(chat.type('/branch'), /nothing to branch/);
  await chat.say('common');
  await chat.type('/title story');
  const { id } = chat.session;
  await chat.type('/branch');
  await chat.say('only here');
  assert.deepEqual(lastMessages(server), ['user: common', 'assistant: answer to: common', 'user: only here']);
  const child = await chat.store.sessions.get(chat.session.id);
  assert.equal(child?.title, 'story #2');
  assert.equal(child?.parent_session_id, id);
  assert.equal((await chat.store.messages.conversation(id)).length, 2);
  assert.equal((await chat.store.sessions.get(id))?.end_reason, 'branched');
  const [first, second] = server.requests.map((request) => request.body.messages[0]?.content);
  assert.equal(second, first, 'the prompt of the branch is the same, so its cache is, too');
});

test('/branch keeps the model that the conversation was switched to', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await chat.say('common');
  await chat.session.model.switch('other-model', { provider: 'custom' });
  const { id } = chat.session;
  await chat.type('/branch');
  await chat.say('only here');
  assert.equal(server.lastRequest.body.model, 'other-model');
  const child = await chat.store.sessions.get(chat.session.id);
  assert.equal(child?.model, 'other-model');
  assert.equal(JSON.parse(child?.model_config ?? '{}')._branched_from, id);
});

test('/save writes the conversation as JSON', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  assert.equal(await chat.type('/save'), 'There is nothing to save yet.');
  await chat.say('hello');
  const path = (await chat.type('/save')).replace('Saved to ', '');
  assert.match(path, /sessions\/saved\/hermes_conversation_\d{8}_\d{6}\.json$/);
  const saved: unknown = JSON.parse(readFileSync(path, 'utf8'));
  assert.deepEqual(Object.keys(Object(saved)), ['model', 'session_id', 'session_start', 'messages']);
  assert.partialDeepStrictEqual(saved, {
    session_id: chat.session.id,
    model: 'test-model',
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'answer to: hello' },
    ],
  });
});

test('/copy takes an answer by its number from the end, without what the model thought', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: '<think>hm</think>first answer' }, { text: 'second answer' });
  const chat = await openConversation(t, server);
  await assert.rejects(chat.type('/copy'), /no answer yet/);
  await chat.say('one');
  await chat.say('two');
  assert.equal(await chat.type('/copy'), 'Copied 13 characters.');
  await chat.type('/copy 2');
  assert.deepEqual(chat.copied, ['second answer', 'first answer']);
  await assert.rejects(chat.type('/copy 3'), /only 2 answers/);
  await assert.rejects(chat.type('/copy x'), /Usage/);
});

test('/history tells who said what, and how many tool results stood between', async (t) => {
  await using server = await startModelServer();
  const calls = [
    { name: 'todo', arguments: {} },
    { name: 'search_files', arguments: { pattern: 'x' } },
  ];
  server.enqueue({ toolCalls: calls }, { text: 'done' });
  const chat = await openConversation(t, server);
  assert.equal(await chat.type('/history'), 'Nothing has been said yet.');
  await chat.say('go');
  assert.equal(await chat.type('/history'), 'You: go\n  (2 tool results)\nHermes: done');
});

test('/quit leaves; with --delete the conversation is erased for good', async (t) => {
  await using server = await answering();
  const chat = await openConversation(t, server);
  await chat.say('hello');
  await chat.type('/quit');
  assert.equal(chat.quits, 1);
  await assert.rejects(chat.type('/quit nonsense'), /Usage/);
  await chat.type('/exit -d');
  assert.equal(chat.quits, 2);
  assert.equal(await chat.store.sessions.get(chat.session.id), undefined);
});

test('while a turn runs: /queue holds, /steer goes along with the tool result, /stop ends', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue(
    { toolCalls: [{ name: 'todo', arguments: {} }], gate: gate.promise },
    { text: 'done' },
    { text: 'ok' },
  );
  const chat = await openConversation(t, server);
  const turn = chat.say('go');
  await server.requestArrived(1);
  assert.equal(await chat.type('/queue later'), 'Queued for the next turn: later');
  assert.equal(await chat.type('/steer be brief'), 'Steering: be brief');
  assert.match(await chat.type('/status'), /State: +working/);
  await assert.rejects(chat.type('/model other'), /while a turn runs/);
  gate.resolve();
  assert.equal(await turn, 'done');
  await chat.worker.settled();
  assert.match(lastMessages(server).at(-3) ?? '', /^tool: [\s\S]*be brief/);
  assert.equal(lastMessages(server).at(-1), 'user: later');
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'x', gate: never.promise });
  const second = chat.say('again');
  await server.requestArrived(4);
  assert.equal(await chat.type('/stop'), 'Stopped the turn.');
  assert.equal(await second, null);
  never.resolve();
});
