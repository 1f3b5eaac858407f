/** What a session does beside the conversation: notes at its end, and a look back after replies. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Conversation, openConversation } from '../commands/conversation.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type RecordedRequest, startModelServer } from '../fakes/model-server.ts';

const asks = (words: RegExp) => (request: RecordedRequest) => words.test(JSON.stringify(request.body.messages.at(-1)));
const isFlush = asks(/about to leave your context/);
const isReview = asks(/This is a quiet look back/);
const isBeside = (request: RecordedRequest) => isFlush(request) || isReview(request);

/** Answers everything shortly; the title is not counted as a request. */
const server = () => startModelServer({ title: 'A title', respond: () => ({ text: 'ok' }) });
const noReviews = 'memory:\n  nudge_interval: 0\n';

async function say(chat: Conversation, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) await chat.say(`question ${turn}`);
}

test('/new after two turns saves nothing first, after six it does once', async (t) => {
  await using model = await server();
  const chat = await openConversation(t, model, noReviews, { learns: true });
  await say(chat, 2);
  await chat.type('/new now');
  assert.equal(model.requests.filter(isFlush).length, 0);
  await say(chat, 6);
  await chat.type('/new now');
  const flushes = model.requests.filter(isFlush);
  assert.equal(flushes.length, 1);
  assert.deepEqual(
    flushes[0]?.body.tools?.map((tool) => tool.function.name),
    ['memory'],
  );
  await chat.leave();
  assert.equal(model.requests.filter(isFlush).length, 1);
});

test('whoever looks into an old conversation and leaves without a word pays for no flush', async (t) => {
  await using model = await server();
  const place = temporaryHome(t);
  const chat = await openConversation(t, model, noReviews, { place, learns: true });
  await say(chat, 6);
  const { id } = chat.session;
  await chat.leave();
  const { length } = model.requests;
  const again = await openConversation(t, model, noReviews, { place, learns: true, resume: id });
  assert.equal(again.session.agent.history.length, 12);
  await again.leave();
  assert.equal(model.requests.length, length);
});

test('turns that are no longer in the history count for the flush at the end', async (t) => {
  await using model = await server();
  const chat = await openConversation(t, model, noReviews, { learns: true });
  await say(chat, 6);
  chat.session.agent.replaceHistory(chat.session.agent.history.slice(-4));
  await chat.leave();
  assert.equal(model.requests.filter(isFlush).length, 1);
});

test('after two turns without memory one review follows the reply, and the user hears what it wrote', async (t) => {
  const reviewed = Promise.withResolvers<void>();
  await using model = await startModelServer({
    title: 'A title',
    respond(request) {
      if (!isReview(request)) return { text: 'ok' };
      reviewed.resolve();
      return { toolCalls: [{ name: 'memory', arguments: { action: 'add', content: 'Likes tea.' } }] };
    },
  });
  const chat = await openConversation(t, model, 'memory:\n  nudge_interval: 2\n', { learns: true });
  await chat.say('one');
  assert.equal(model.requests.length, 1);
  assert.equal(await chat.say('two'), 'ok');
  await reviewed.promise;
  await chat.leave();
  const order = model.requests.map((request) => (isReview(request) ? 'review' : 'other'));
  assert.deepEqual(order, ['other', 'other', 'review', 'other']);
  assert.deepEqual(chat.learned, ['💾 Memory updated']);
  assert.equal(readFileSync(join(chat.homePath, 'memories', 'MEMORY.md'), 'utf8'), 'Likes tea.');
});

test('without a memory that could be written to nobody looks back for it', async (t) => {
  const off = 'memory:\n  nudge_interval: 1\n  memory_enabled: false\n  user_profile_enabled: false\n';
  const skillsOff = 'skills:\n  creation_nudge_interval: 0\n';
  for (const { config, env } of [
    { config: off, env: {} },
    { config: 'memory:\n  nudge_interval: 1\n', env: { HERMES_IGNORE_RULES: '1' } },
  ]) {
    await using model = await server();
    const chat = await openConversation(t, model, config + skillsOff, { env, learns: true });
    await say(chat, 3);
    await chat.leave();
    assert.equal(model.requests.filter(isBeside).length, 0);
  }
});
