/** What of a request is looked at before its turn, and which headers an answer carries: as JSON and as a stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { dial } from '../listener.ts';
import { type Api, codeOf, eventsOf, jsonOf, key, startApi, until } from './support.ts';

const said = { messages: [{ role: 'user', content: 'hi' }] };
const origin = 'https://page.example';

test('a page that was not allowed is refused, one that was may ask, look before it asks, and read a stream', async (t) => {
  const closed = await startApi(t);
  const refused = await closed.post('/v1/chat/completions', said, { origin: 'http://evil' });
  assert.deepEqual([refused.status, await codeOf(refused)], [403, 'origin_not_allowed']);
  assert.equal(closed.model.requests.length, 0);
  const { post, url } = await startApi(t, {
    extra: `{cors_origins: "${origin}"}`,
    respond: () => ({ text: 'Hello.' }),
  });
  const preflight = await fetch(`${url}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-max-age')], [200, '600']);
  for (const stream of [false, true]) {
    const answer = await post('/v1/chat/completions', { ...said, stream }, { origin });
    assert.equal(answer.headers.get('access-control-allow-origin'), origin, `stream: ${stream}`);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', `stream: ${stream}`);
    await answer.text();
  }
});

test('a key of a person comes back as it was sent, and one that fits no line is refused', async (t) => {
  const { post, server, model } = await startApi(t, { respond: () => ({ text: 'Hello.' }) });
  const asked = [
    ['/v1/chat/completions', said],
    ['/v1/chat/completions', { ...said, stream: true }],
    ['/v1/responses', { input: 'hi' }],
    ['/v1/responses', { input: 'hi', stream: true }],
    ['/v1/runs', { input: 'hi' }],
  ] as const;
  for (const [path, body] of asked) {
    const long = await post(path, body, { 'x-hermes-session-key': 'k'.repeat(257) });
    assert.equal(long.status, 400, path);
    const good = await post(path, body, { 'x-hermes-session-key': 'k'.repeat(256) });
    assert.ok(good.ok, path);
    assert.equal(good.headers.get('x-hermes-session-key'), 'k'.repeat(256), path);
    await good.text();
  }
  await model.requestArrived(asked.length);
  const body = JSON.stringify(said);
  for (const value of ['a\x00b', 'a\x01b', 'a\x7fb', 'a\nb']) {
    const line = await dial(t, server.port);
    line.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n` +
        `x-hermes-session-key: ${value}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(await line.closed, /^HTTP\/1\.1 400 /, JSON.stringify(value));
  }
  assert.equal(model.requests.length, asked.length);
});

test('what is told to be there is there', async (t) => {
  const { ask, post } = await startApi(t, { respond: () => ({ text: 'Ok.' }) });
  const told = await jsonOf(
    ask('/v1/capabilities'),
    z.object({
      features: z.record(z.string(), z.unknown()),
      endpoints: z.record(z.string(), z.object({ method: z.string(), path: z.string() })),
    }),
  );
  const used =
    'chat_completions chat_completions_streaming responses_api responses_streaming run_submission run_status run_events_sse run_stop run_approval_response tool_progress_events approval_events session_resources session_chat session_chat_streaming session_fork skills_api';
  for (const name of used.split(' ')) assert.equal(told.features[name], true, name);
  assert.deepEqual([told.features['jobs_admin'], told.features['cors']], [false, false]);
  await post('/api/sessions', { id: 's' });
  const { run_id: runId } = await jsonOf(post('/v1/runs', { input: 'x' }), z.object({ run_id: z.string() }));
  for (const [name, { method, path }] of Object.entries(told.endpoints)) {
    const where = path.replace('{session_id}', 's').replace('{run_id}', runId);
    const response = await ask(where, { method, ...(method === 'GET' ? {} : { body: '{' }) });
    const text = await response.text();
    assert.doesNotMatch(text, /There is no /, `${name}: ${text}`);
    assert.ok(response.status < 500, name);
  }
  const sets = await jsonOf(
    ask('/v1/toolsets'),
    z.object({
      platform: z.literal('api_server'),
      data: z.array(z.object({ name: z.string(), enabled: z.boolean(), tools: z.array(z.string()) })),
    }),
  );
  const tools = sets.data.flatMap((set) => set.tools);
  assert.ok(tools.includes('terminal') && !tools.includes('clarify') && !tools.includes('send_message'));
  const skills = await ask('/v1/skills');
  assert.equal(skills.status, 200);
});

test('a request for another profile is not answered in its place', async (t) => {
  const { post, ask, model } = await startApi(t, { respond: () => ({ text: 'Ok.' }) });
  assert.equal((await post('/p/coder/v1/chat/completions', said)).status, 404);
  assert.equal((await ask('/p/coder/api/sessions')).status, 404);
  assert.equal(model.requests.length, 0);
  assert.equal((await post('/p/default/v1/chat/completions', said)).status, 200);
});

async function statusOf({ ask }: Api, id: string): Promise<string> {
  return (await jsonOf(ask(`/v1/runs/${id}`), z.object({ status: z.string() }))).status;
}

test('a run is stopped while a tool sleeps, and goes on when whoever watched it leaves', async (t) => {
  const api = await startApi(t);
  const started = z.object({ run_id: z.string() });
  api.model.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 600' } }] });
  const { run_id: slow } = await jsonOf(api.post('/v1/runs', { input: 'sleep' }), started);
  const watched = await api.ask(`/v1/runs/${slow}/events`);
  const reader = watched.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('tool.started')) seen += (await reader?.read())?.value ?? '';
  const stopping = await api.post(`/v1/runs/${slow}/stop`, {});
  assert.deepEqual(await stopping.json(), { run_id: slow, status: 'stopping' });
  await until(async () => (await statusOf(api, slow)) === 'cancelled');
  while (!seen.endsWith(': stream closed\n\n')) seen += (await reader?.read())?.value ?? '';
  assert.match(seen, /run\.cancelled/);
  const asked = api.model.requests.length;

  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  api.model.enqueue({ text: 'Done all the same.', gate: gate.promise });
  const { run_id: left } = await jsonOf(api.post('/v1/runs', { input: 'go' }), started);
  const leaver = new AbortController();
  const events = await api.ask(`/v1/runs/${left}/events`, { signal: leaver.signal });
  await api.model.requestArrived(asked + 1);
  leaver.abort();
  await assert.rejects(events.text());
  gate.resolve();
  await until(async () => (await statusOf(api, left)) === 'completed');
  const replayed = await eventsOf(await api.ask(`/v1/runs/${left}/events`));
  assert.match(replayed.at(-1)?.data ?? '', /Done all the same\./);
});
