/** What a caller is told when something around a turn goes wrong, and what is kept of it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import * as z from 'zod';
import { ResponseStore } from '../../../src/http/api/responses/response-store.ts';
import { startApiServer } from '../../../src/http/api/start-api-server.ts';
import { noLog } from '../../../src/lib/log.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type Place, placeFor } from '../../runtime/support.ts';
import { apiConfig, codeOf, jsonOf, startApi, until } from './support.ts';

function logOf({ homePath }: Place): string {
  const path = join(homePath, 'logs', 'agent.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

const user = (content: string) => ({ messages: [{ role: 'user', content }] });

test('a turn that still waits in line when the server stops is refused with 503', async (t) => {
  const { post, model, server } = await startApi(t);
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  model.enqueue({ text: 'Slow.', gate: gate.promise });
  const say = (content: string) => post('/v1/chat/completions', user(content), { 'x-hermes-session-id': 's' });
  const first = say('a').catch(() => undefined);
  await model.requestArrived(1);
  const second = say('b');
  const health = z.object({ active_agents: z.number() });
  await until(async () => {
    const response = await fetch(`${server.url}/health/detailed`, {
      headers: { authorization: 'Bearer k-0123456789abcdef' },
    });
    return (await jsonOf(response, health)).active_agents === 2;
  });
  const stopped = server.stop();
  const refused = await second;
  assert.equal(refused.status, 503);
  assert.equal(await codeOf(refused), 'gateway_draining');
  await first;
  await stopped;
});

test('what two people say first is not one conversation, however alike it is', async (t) => {
  const { post, store } = await startApi(t, { respond: () => ({ text: 'Hello.' }) });
  const idFor = async (key: string) =>
    (await post('/v1/chat/completions', user('hi'), key === '' ? {} : { 'x-hermes-session-key': key })).headers.get(
      'x-hermes-session-id',
    );
  const [ann, bob, nobody] = [await idFor('ann'), await idFor('bob'), await idFor('')];
  assert.equal(new Set([ann, bob, nobody]).size, 3);
  assert.equal(await idFor('ann'), ann);
  assert.equal((await store.sessions.get(bob ?? ''))?.user_id, 'bob');
});

test('an answer is given also when it cannot be kept', async (t) => {
  const { post, place, model } = await startApi(t, { respond: () => ({ text: 'Here it is.' }) });
  const db = new DatabaseSync(join(place.homePath, 'response_store.db'));
  db.exec('DROP TABLE responses');
  db.close();
  const response = await post('/v1/responses', { input: 'x' });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /Here it is\./);
  assert.equal(model.requests.length, 1);
  await until(() => logOf(place).includes('a response was not stored'));
});

test('a response that was under way when the process died is told as incomplete', async (t) => {
  const { home } = temporaryHome(t);
  const first = await ResponseStore.open(home.path, noLog);
  const response = { id: 'resp_1', object: 'response', status: 'in_progress' };
  await first.put('resp_1', { response, history: [], instructions: null, sessionId: 's' });
  await first.put('resp_2', { response: { status: 'completed' }, history: [], instructions: null, sessionId: 's' });
  await first.close();
  const second = await ResponseStore.open(home.path, noLog);
  assert.equal((await second.get('resp_1'))?.response['status'], 'incomplete');
  assert.equal((await second.get('resp_2'))?.response['status'], 'completed');
  await second.close();
});

test('a turn that failed is run again with its key, also when it had said something', async (t) => {
  const { post, model, place } = await startApi(t);
  place.put('a.txt', 'x\n');
  const failing = [
    { text: 'Let me look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { fault: 'status', status: 400, body: { error: { message: 'no such thing' } } } as const,
  ];
  model.enqueue(...failing, { text: 'Now.' }, ...failing, { text: 'Now.' });
  for (const [path, body] of [
    ['/v1/chat/completions', user('x')],
    ['/v1/responses', { input: 'y' }],
  ] as const) {
    const ask = async () => await (await post(path, body, { 'idempotency-key': 'k' })).text();
    assert.doesNotMatch(await ask(), /Now\./);
    assert.match(await ask(), /Now\./, path);
  }
});

test('a title is taken away with null, and what is no text is refused', async (t) => {
  const { ask, post } = await startApi(t);
  await post('/api/sessions', { id: 's', title: 'A name' });
  const patch = (body: unknown) => ask('/api/sessions/s', { method: 'PATCH', body: JSON.stringify(body) });
  const shape = z.object({ session: z.object({ title: z.string().nullable() }) });
  assert.equal((await jsonOf(patch({ title: null }), shape)).session.title, null);
  assert.equal((await patch({ title: 'B', end_reason: 5 })).status, 400);
  assert.equal((await jsonOf(ask('/api/sessions/s'), shape)).session.title, null, 'nothing was changed');
  assert.ok((await (await patch({ ['x'.repeat(100_000)]: 1 })).text()).length < 1000);
});

test('what a request goes on from is found or refused, never passed over', async (t) => {
  const { post, model } = await startApi(t, { respond: () => ({ text: 'Ok.' }) });
  assert.equal((await post('/v1/responses', { input: 'x', previous_response_id: 5 })).status, 404);
  assert.equal((await post('/v1/responses', { input: 'x', instructions: 5 })).status, 400);
  assert.equal((await post('/v1/runs', { input: 'x', conversation_history: 'no' })).status, 400);
  assert.equal((await post('/v1/runs', { input: 'x', session_id: 5 })).status, 400);
  assert.equal(model.requests.length, 0);
});

test('an alias that is changed on disk counts for conversations that are open', async (t) => {
  const extra = (model: string) => `{model_routes: {fast: {model: ${model}}}}`;
  const { post, place, model } = await startApi(t, { extra: extra('m2'), respond: () => ({ text: 'Ok.' }) });
  const say = () => post('/v1/chat/completions', { ...user('hi'), model: 'fast' }, { 'x-hermes-session-id': 's' });
  await say();
  const path = join(place.homePath, 'config.yaml');
  writeFileSync(path, place.read('config.yaml').replace('{model: m2}', '{model: m3}'));
  await until(async () => {
    await say();
    return model.requests.at(-1)?.body.model === 'm3';
  });
});

test('settings whose file leads nowhere leave the ones from before', async (t) => {
  const { ask, place } = await startApi(t);
  const path = join(place.homePath, 'config.yaml');
  rmSync(path);
  symlinkSync(path, path);
  await until(async () => {
    assert.equal((await ask('/v1/models')).status, 200);
    return logOf(place).includes('could not be read again');
  });
});

test('a server that does not start leaves nothing open', async (t) => {
  const keyless = placeFor(t, undefined, 'platforms: {api_server: {extra: {port: 0}}}\n');
  await assert.rejects(startApiServer(await keyless.open()));
  assert.ok(!existsSync(join(keyless.homePath, 'response_store.db')));
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  const late = placeFor(t, undefined, apiConfig('{}').replace('port: 0', `port: ${address.port}`));
  await assert.rejects(startApiServer(await late.open()));
  assert.deepEqual(
    readdirSync(late.homePath).filter((name) => name.startsWith('response_store.db-')),
    [],
    'the database is closed',
  );
});
