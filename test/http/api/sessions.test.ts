/** Stored conversations over the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { codeOf, eventsOf, jsonOf, startApi } from './support.ts';
import { textOf } from '../../runtime/support.ts';

const one = z.object({
  session: z.looseObject({ id: z.string(), title: z.string().nullable(), end_reason: z.string().nullable() }),
});
const listed = z.object({
  data: z.array(z.looseObject({ id: z.union([z.string(), z.number()]) })),
  has_more: z.boolean().optional(),
});

test('a session is made, talked in and branched; the branch leaves the other one as it is', async (t) => {
  const { post, ask, model } = await startApi(t, { respond: () => ({ text: 'Yes.' }) });
  const made = await post('/api/sessions', { id: 'mine', title: 'My work', system_prompt: 'Speak like a pirate.' });
  assert.equal(made.status, 201);
  assert.equal(await codeOf(await post('/api/sessions', { id: 'mine' })), 'session_exists');
  assert.equal(await codeOf(await post('/api/sessions', { title: 'My work' })), 'invalid_title');
  const reply = await jsonOf(
    post('/api/sessions/mine/chat', { message: 'hello' }),
    z.object({ session_id: z.string(), message: z.object({ content: z.string() }) }),
  );
  assert.deepEqual(reply, { session_id: 'mine', message: { content: 'Yes.' } });
  assert.match(textOf(model.requests[0]?.body.messages[0]), /Speak like a pirate/);
  const fork = await post('/api/sessions/mine/fork', { id: 'branch' });
  assert.equal(fork.status, 201);
  assert.equal((await jsonOf(fork, one)).session.title, 'My work #2');
  assert.equal((await jsonOf(ask('/api/sessions/mine'), one)).session.end_reason, 'branched');
  await post('/api/sessions/branch/chat', { message: 'and now' });
  const count = async (id: string) => (await jsonOf(ask(`/api/sessions/${id}/messages`), listed)).data.length;
  assert.deepEqual([await count('mine'), await count('branch')], [2, 4]);
  assert.deepEqual(
    (await jsonOf(ask('/api/sessions?limit=1'), listed)).data.map(({ id }) => id),
    ['branch'],
  );
  assert.equal((await jsonOf(ask('/api/sessions?limit=1'), listed)).has_more, true);
});

test('a turn in a session is told event by event, in order', async (t) => {
  const { post } = await startApi(t, { respond: () => ({ text: 'Yes, of course.' }) });
  await post('/api/sessions', { id: 's' });
  const events = await eventsOf(await post('/api/sessions/s/chat/stream', { message: 'hello' }));
  const names = events.map(({ event }) => event);
  assert.deepEqual(
    [...new Set(names)],
    ['run.started', 'message.started', 'assistant.delta', 'assistant.completed', 'run.completed', 'done'],
  );
  const seqs = events.map(
    ({ data }) => z.looseObject({ seq: z.number(), session_id: z.literal('s') }).parse(JSON.parse(data)).seq,
  );
  assert.deepEqual(
    seqs,
    events.map((_, index) => index + 1),
    'they are counted from one',
  );
});

test('the end of a told turn holds its calls and their results, and not what was asked', async (t) => {
  const { post, model, place } = await startApi(t);
  place.put('a.txt', 'hello\n');
  model.enqueue(
    { text: 'Let me look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'It says hello.' },
  );
  await post('/api/sessions', { id: 's' });
  const events = await eventsOf(await post('/api/sessions/s/chat/stream', { message: 'what is in a.txt?' }));
  const end = events.find(({ event }) => event === 'run.completed');
  const [called, result, answer, ...more] = z
    .object({ messages: z.array(z.looseObject({ role: z.string() })) })
    .parse(JSON.parse(end?.data ?? '')).messages;
  assert.deepEqual([called?.['content'], answer?.['content'], more], ['Let me look.', 'It says hello.', []]);
  const [call] = z.array(z.looseObject({ id: z.string() })).parse(called?.['tool_calls']);
  assert.deepEqual([result?.role, result?.['tool_name'], result?.['tool_call_id']], ['tool', 'read_file', call?.id]);
});

test('only titles and reasons can be changed, and what is gone is gone', async (t) => {
  const { post, ask } = await startApi(t);
  await post('/api/sessions', { id: 's' });
  const patch = (body: unknown) => ask('/api/sessions/s', { method: 'PATCH', body: JSON.stringify(body) });
  assert.equal(await codeOf(await patch({ evil: 1 })), 'unsupported_session_field');
  assert.equal((await jsonOf(patch({ title: 'A name' }), one)).session.title, 'A name');
  assert.equal((await jsonOf(patch({ end_reason: 'done' }), one)).session.end_reason, 'done');
  const gone = await ask('/api/sessions/s', { method: 'DELETE' });
  assert.deepEqual(await gone.json(), { object: 'hermes.session.deleted', id: 's', deleted: true });
  const missing = await ask('/api/sessions/s');
  assert.equal(missing.status, 404);
  assert.equal(await codeOf(missing), 'session_not_found');
  assert.equal(await codeOf(await ask('/api/sessions/..%2Fs')), 'invalid_session_id');
  assert.equal(await codeOf(await post('/api/sessions', { id: 'a/b' })), 'invalid_session_id');
});

test('a session in which a turn runs says so', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { post, model } = await startApi(t);
  await post('/api/sessions', { id: 's' });
  model.enqueue({ text: 'Slow.', gate: gate.promise });
  const slow = post('/api/sessions/s/chat', { message: 'a' });
  await model.requestArrived(1);
  assert.equal((await post('/api/sessions/s/chat', { message: 'b' })).status, 409);
  gate.resolve();
  assert.equal((await slow).status, 200);
});

test('no jobs come from a managed scheduler, and no platform pushes events, and that is said', async (t) => {
  const { post } = await startApi(t);
  assert.equal((await post('/api/cron/fire', { job_id: 'x' })).status, 501);
  assert.equal(await codeOf(await post('/api/platforms/google-chat/events', {})), 'platform_unavailable');
});

test('runs of sub-agents, and what a conversation was compacted into, are listed when they are asked for', async (t) => {
  const { ask, store } = await startApi(t);
  await store.sessions.create({ id: 'first', source: 'cli' });
  const messages = [{ role: 'user', content: 'what was said so far' } as const];
  await store.sessions.createChild('first', { id: 'next', messages, parentEndReason: 'compression' });
  const modelConfig = { _delegate_from: 'next' };
  await store.sessions.create({ id: 'helper', source: 'cli', parentSessionId: 'next', modelConfig });
  const ids = async (query: string) =>
    (await jsonOf(ask(`/api/sessions${query}`), listed)).data.map(({ id }) => String(id)).sort();
  assert.deepEqual(await ids(''), ['next']);
  assert.deepEqual(await ids('?include_children=false'), ['next']);
  assert.deepEqual(await ids('?include_children=true'), ['first', 'helper', 'next']);
  assert.deepEqual(await ids('?include_children=true&source=tool'), []);
  assert.equal((await ask('/api/sessions?include_children=maybe')).status, 400);
});
