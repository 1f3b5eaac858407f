/** The Responses API: turns as responses, chains of them, and what is kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import * as z from 'zod';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type Api, jsonOf, key, startApi } from './support.ts';
import { textOf } from '../../runtime/support.ts';

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

test('a response goes on from the one before, in one session', async (t) => {
  const { url, model, store } = await startApi(t);
  const client = clientOf(url);
  model.enqueue({ text: 'I shall.' }, { text: 'It is 7.' });
  const first = await client.responses.create({ model: 'm', input: 'remember 7' });
  assert.equal(first.output_text, 'I shall.');
  const second = await client.responses.create({
    model: 'm',
    input: 'which number',
    previous_response_id: first.id,
  });
  assert.equal(second.output_text, 'It is 7.');
  const said = model.requests[1]?.body.messages.map(({ content }) => content) ?? [];
  assert.deepEqual(said.slice(1), ['remember 7', 'I shall.', 'which number']);
  assert.equal((await store.sessions.list({ source: 'api_server' })).length, 1);
});

test('the stream helper of the official client reads a turn with tools', async (t) => {
  const { url, model, place } = await startApi(t);
  place.put('a.txt', 'hello\n');
  model.enqueue(
    { text: 'Let me look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'It says hello.' },
  );
  const stream = clientOf(url).responses.stream({ model: 'm', input: 'what is in a.txt' });
  const types: string[] = [];
  stream.on('event', ({ type }) => void types.push(type));
  const response = await stream.finalResponse();
  assert.equal(response.status, 'completed');
  assert.deepEqual(
    response.output.map(({ type }) => type),
    ['message', 'function_call', 'function_call_output', 'message'],
  );
  assert.equal(types[0], 'response.created');
  assert.equal(types.at(-1), 'response.completed');
});

test('a chain survives a restart, and so does the name of a conversation', async (t) => {
  const home = temporaryHome(t);
  const first = await startApi(t, { home, respond: () => ({ text: 'I shall.' }) });
  const { id } = await ask(first, { input: 'remember 7', conversation: 'p', instructions: 'Be brief.' });
  await first.server.stop();
  await first.program.close();
  const second = await startApi(t, { home, respond: () => ({ text: 'It is 7.' }) });
  await ask(second, { input: 'which number', previous_response_id: id });
  await ask(second, { input: 'and now', conversation: 'p' });
  const said = second.model.requests.map(({ body }) => body.messages.slice(1).map(({ content }) => content));
  assert.deepEqual(said, [
    ['remember 7', 'I shall.', 'which number'],
    ['remember 7', 'I shall.', 'and now'],
  ]);
  assert.match(textOf(second.model.requests[0]?.body.messages[0]), /Be brief\./);
  assert.equal((await second.store.sessions.list({ source: 'api_server' })).length, 1);
});

test('a turn with tools puts out call, result and answer; what follows it puts out its own alone', async (t) => {
  const api = await startApi(t);
  api.place.put('a.txt', 'hello\n');
  api.model.enqueue(
    { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'It says hello.' },
    { text: 'Welcome.' },
  );
  const first = await ask(api, { input: ['look at it'] });
  assert.deepEqual(
    first.output.map(({ type }) => type),
    ['function_call', 'function_call_output', 'message'],
  );
  assert.equal(first.output[0]?.['call_id'], first.output[1]?.['call_id']);
  assert.equal(first.output[0]?.['arguments'], '{"path":"a.txt"}', 'as the model wrote them');
  const second = await ask(api, { input: [{ role: 'user', content: 'thanks' }], previous_response_id: first.id });
  assert.deepEqual(
    second.output.map(({ type }) => type),
    ['message'],
  );
  assert.ok(
    api.model.requests[2]?.body.messages.some(({ role }) => role === 'tool'),
    'results stay in the conversation',
  );
});

test('calls of one step stand before their results, step by step, as in the original', async (t) => {
  const api = await startApi(t);
  for (const name of ['a.txt', 'b.txt']) api.place.put(name, `this is ${name}\n`);
  const call = (path: string) => ({ name: 'read_file', arguments: { path } });
  api.model.enqueue({ toolCalls: [call('a.txt'), call('b.txt')] }, { toolCalls: [call('a.txt')] }, { text: 'Read.' });
  const { output } = await ask(api, { input: 'read them' });
  assert.deepEqual(
    output.map(({ type }) => type),
    [
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'function_call',
      'function_call_output',
      'message',
    ],
  );
  const ids = output.map((item) => item['call_id']);
  assert.deepEqual([ids[2], ids[3], ids[5]], [ids[0], ids[1], ids[4]]);
  assert.match(JSON.stringify(output[3]), /this is b\.txt/);
});

test('the hundred responses that were asked for last are kept', async (t) => {
  const api = await startApi(t, { respond: () => ({ text: 'Ok.' }) });
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1) ids.push((await ask(api, { input: `n${count}` })).id);
  assert.equal((await api.ask(`/v1/responses/${ids[0]}`)).status, 200);
  await ask(api, { input: 'one more' });
  assert.equal((await api.ask(`/v1/responses/${ids[0]}`)).status, 200, 'it was read last');
  assert.equal((await api.ask(`/v1/responses/${ids[1]}`)).status, 404);
});

test('a response that is not to be kept is not, and one that is deleted is gone', async (t) => {
  const api = await startApi(t, { respond: () => ({ text: 'Ok.' }) });
  const unkept = await ask(api, { input: 'x', store: false });
  assert.equal((await api.ask(`/v1/responses/${unkept.id}`)).status, 404);
  const { id } = await ask(api, { input: 'x', conversation: 'c' });
  const remove = () => api.ask(`/v1/responses/${id}`, { method: 'DELETE' });
  assert.deepEqual(await (await remove()).json(), { id, object: 'response', deleted: true });
  assert.equal((await remove()).status, 404);
  assert.equal((await api.post('/v1/responses', { input: 'x', previous_response_id: id })).status, 404);
  const both = await api.post('/v1/responses', { input: 'x', previous_response_id: id, conversation: 'c' });
  assert.equal(both.status, 400);
  assert.equal((await api.post('/v1/responses', {})).status, 400);
  assert.equal((await api.post('/v1/responses', { input: 7 })).status, 400);
});

const shape = z.object({ id: z.string(), output: z.array(z.looseObject({ type: z.string() })) });

async function ask({ post }: Api, body: object): Promise<z.infer<typeof shape>> {
  const response = await post('/v1/responses', body);
  assert.equal(response.status, 200, await response.clone().text());
  return await jsonOf(response, shape);
}
