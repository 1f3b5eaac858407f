/** Runs: turns that no connection holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { type Api, codeOf, eventsOf, jsonOf, startApi, until } from './support.ts';

const started = z.object({ run_id: z.string(), status: z.literal('started') });
const status = z.looseObject({ status: z.string(), session_id: z.string(), output: z.string().optional() });

async function start({ post }: Api, body: object): Promise<string> {
  const response = await post('/v1/runs', body);
  assert.equal(response.status, 202);
  return (await jsonOf(response, started)).run_id;
}

async function become({ ask }: Api, id: string, wanted: string): Promise<z.infer<typeof status>> {
  let seen: z.infer<typeof status> | undefined;
  await until(async () => (seen = await jsonOf(ask(`/v1/runs/${id}`), status)).status === wanted);
  assert.ok(seen);
  return seen;
}

test('a run goes on by itself, and its events can be read after its end, from any place', async (t) => {
  const api = await startApi(t, { respond: () => ({ text: 'It is done.' }) });
  const id = await start(api, { input: 'do it' });
  const run = await become(api, id, 'completed');
  assert.equal(run.session_id, id);
  assert.equal(run.output, 'It is done.');
  const response = await api.ask(`/v1/runs/${id}/events`);
  const text = await response.clone().text();
  assert.match(text, /: stream closed\n\n$/);
  const events = await eventsOf(response);
  const last = z.object({ event: z.literal('run.completed'), run_id: z.literal(id), output: z.string() });
  last.parse(JSON.parse(events.at(-1)?.data ?? ''));
  const again = await eventsOf(await api.ask(`/v1/runs/${id}/events`, { headers: { 'last-event-id': '1' } }));
  assert.equal(again.length, events.length - 1);
  assert.equal(again[0]?.id, '2');
});

test('a run that is stopped is cancelled; one that is over cannot be', async (t) => {
  const api = await startApi(t);
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  api.model.enqueue({ text: 'Slow.', gate: gate.promise });
  const id = await start(api, { input: 'do it', session_id: 'mine' });
  await api.model.requestArrived(1);
  const stopping = await api.post(`/v1/runs/${id}/stop`, {});
  assert.deepEqual(await stopping.json(), { run_id: id, status: 'stopping' });
  await become(api, id, 'cancelled');
  assert.equal((await api.post(`/v1/runs/${id}/stop`, {})).status, 404);
  assert.equal(await codeOf(await api.ask('/v1/runs/none')), 'run_not_found');
});

test('what needs a yes is asked of whoever watches, once', async (t) => {
  const api = await startApi(t, { config: 'approvals: {mode: manual}\n' });
  api.model.enqueue(
    { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf /srv/data' } }] },
    { text: 'Then not.' },
  );
  const id = await start(api, { input: 'clean up' });
  await become(api, id, 'waiting_for_approval');
  assert.equal(await codeOf(await api.post(`/v1/runs/${id}/approval`, { choice: 'maybe' })), 'invalid_approval_choice');
  const denied = await api.post(`/v1/runs/${id}/approval`, { choice: 'deny' });
  assert.deepEqual(await denied.json(), {
    object: 'hermes.run.approval_response',
    run_id: id,
    choice: 'deny',
    resolved: 1,
  });
  const run = await become(api, id, 'completed');
  assert.equal(run.output, 'Then not.');
  const late = await api.post(`/v1/runs/${id}/approval`, { choice: 'deny' });
  assert.equal(late.status, 409);
  const events = await eventsOf(await api.ask(`/v1/runs/${id}/events`));
  const names = events.map(({ data }) => z.looseObject({ event: z.string() }).parse(JSON.parse(data)).event);
  assert.ok(names.indexOf('approval.request') < names.indexOf('approval.responded'));
});

test('over the other routes nobody can be asked, so nothing that needs a yes is run', async (t) => {
  const { post, model } = await startApi(t, { config: 'approvals: {mode: manual}\n' });
  model.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf /srv/data' } }] }, { text: 'No.' });
  const response = await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'clean up' }] });
  assert.equal(response.status, 200);
  assert.match(JSON.stringify(model.requests[1]?.body.messages.at(-1)), /refused|denied|not allowed|approval/i);
});
