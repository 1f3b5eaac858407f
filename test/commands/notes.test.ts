/** What stands in a history and was not said by a person: notes of the program to the model, and thoughts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

/** An answer that is cut at the output limit, so that the program asks for the rest in the user's place. */
const cutAnswer = [{ text: 'the first half', finishReason: 'length' }, { text: ', the rest' }] as const;

test('/retry asks the question again when the answer had to be continued, not the note that asked for the rest', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'hi' }, ...cutAnswer, { text: 'short' });
  const chat = await openConversation(t, server);
  await chat.say('hello');
  await chat.say('a long question');
  await chat.type('/retry');
  const said = (await chat.store.messages.conversation(chat.session.id)).map((message) => message.content);
  assert.deepEqual(said, ['hello', 'hi', 'a long question', 'short']);
  assert.deepEqual(server.violations, []);
});

test('/undo takes back a continued answer as a whole, here and in the store', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'hi' }, ...cutAnswer);
  const chat = await openConversation(t, server);
  await chat.say('hello');
  await chat.say('a long question');
  assert.equal(await chat.type('/undo'), 'Removed 4 messages, from: a long question');
  const left = chat.session.agent.history.map((message) => message.content);
  assert.deepEqual(left, ['hello', 'hi']);
  assert.deepEqual(
    (await chat.store.messages.conversation(chat.session.id)).map((message) => message.content),
    left,
  );
});

test('/history and /status tell what was said, not what was thought or noted', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: '<think>hidden thought</think>visible answer' }, ...cutAnswer);
  const chat = await openConversation(t, server);
  await chat.say('first');
  await chat.say('second');
  const history = await chat.type('/history');
  assert.match(history, /^You: first\nHermes: visible answer\nYou: second\nHermes: the first half\n {2}\[System: /);
  assert.doesNotMatch(history, /hidden thought/);
  const status = await chat.type('/status');
  assert.match(status, /Created: {2}just now\nUpdated: {2}just now\nTokens: {3}[1-9]\d* since/);
  assert.match(status, /Turns: {4}2, 0 tool results\nYou said: second\nAnswer: {3}, the rest$/);
});

test('/status names the files that were worked on, newest first', async (t) => {
  await using server = await startModelServer();
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'text' } });
  server.enqueue({ toolCalls: [write('a.txt'), write('b.txt')] }, { text: 'done' });
  const chat = await openConversation(t, server);
  await chat.say('write');
  assert.match(await chat.type('/status'), /Files: {4}b\.txt, a\.txt/);
});

test('/model never takes a flag for a part of the name', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  await assert.rejects(chat.type('/model other --temporary'), /does not take --temporary; the model was not changed/);
  await assert.rejects(chat.type('/model other --provider'), /--provider needs/);
  await assert.rejects(chat.type('/model other --provider openrouter'), /OPENROUTER_API_KEY/);
  await assert.rejects(chat.type('/model nosuchprovider:x'), { hint: /`hermes model`/ });
  assert.equal(chat.session.agent.route.model, 'test-model');
});

test('/quit --delete asks nothing when nothing was said', async (t) => {
  await using server = await startModelServer();
  const chat = await openConversation(t, server);
  chat.answer = false;
  await chat.type('/quit --delete');
  assert.equal(chat.quits, 1);
  assert.deepEqual(chat.asked, []);
});

test('/save tells when the conversation began, not when the program did', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'hi' });
  const chat = await openConversation(t, server);
  await chat.say('hello');
  const saved = JSON.parse(readFileSync((await chat.type('/save')).replace('Saved to ', ''), 'utf8'));
  const row = await chat.store.sessions.get(chat.session.id);
  assert.equal(Date.parse(saved.session_start), Math.floor((row?.started_at ?? 0) * 1000));
});
