/** Leaving a session never waits for a model, and asks none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, isReview, openChat, placeFor } from './support.ts';

const learns = { mode: { learns: true } };

test('ending a session, also for a new one, asks no model for anything', async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'ok' }) });
  const chat = await openChat(t, server, 'memory:\n  nudge_interval: 50\n', learns);
  for (let turn = 1; turn <= 8; turn += 1) await chat.say(`question ${turn}`);
  await chat.session.close('new_session');
  const next = await chatAt(chat.place, { ...learns, program: chat.program });
  await next.say('hello');
  await chat.program.close();
  assert.equal(server.requests.length, 9);
});

test('whoever looks into an old conversation and leaves without a word pays for nothing', async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'ok' }) });
  const place = placeFor(t, server, 'memory:\n  nudge_interval: 50\n');
  const chat = await chatAt(place, learns);
  for (let turn = 1; turn <= 6; turn += 1) await chat.say(`question ${turn}`);
  await chat.program.close();
  const again = await chatAt(place, { ...learns, resume: chat.session.id });
  assert.equal(again.session.agent.history.length, 12);
  await again.leave();
  assert.equal(server.requests.length, 6);
});

test('a review whose model hangs is given up when the session ends', async (t) => {
  await using server = await startModelServer({
    title: 'A title',
    respond: (request) => (isReview(request) ? { fault: 'hang' } : { text: 'ok' }),
  });
  const chat = await openChat(t, server, 'memory:\n  nudge_interval: 1\n', learns);
  await chat.say('hi');
  const review = await server.requestArrived(2);
  assert.ok(isReview(review));
  await chat.leave();
  assert.equal(await review.closed, true, 'the connection was given up');
  assert.equal((await chat.session.row())?.end_reason, 'cli_close');
  assert.deepEqual([chat.warnings, chat.learned], [[], []]);
});

test('a title whose model hangs is given up when the session ends', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'ok' }, { fault: 'hang' });
  const chat = await openChat(t, server, '', learns);
  await chat.say('hi');
  const title = await server.requestArrived(2);
  await chat.leave();
  assert.equal(await title.closed, true);
  assert.equal((await chat.session.row())?.title, null);
});
