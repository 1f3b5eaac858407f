/** Chat completions, asked with the official client and without. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import * as z from 'zod';
import { noGateway } from '../../../src/http/api/gateway-view.ts';
import type { ModelServer } from '../../fakes/model-server.ts';
import { codeOf, eventsOf, jsonOf, key, startApi, until } from './support.ts';
import { makePng, pngChunk } from '../../fakes/pictures.ts';
import { textOf } from '../../runtime/support.ts';

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

test('a question gets an answer with the sum of its tokens', async (t) => {
  const { url, model, store } = await startApi(t);
  model.enqueue({ text: 'Hello.' });
  const answer = await clientOf(url).chat.completions.create({
    model: 'whatever',
    messages: [{ role: 'user', content: 'say hi' }],
  });
  assert.equal(answer.object, 'chat.completion');
  assert.match(answer.id, /^chatcmpl-[0-9a-f]{29}$/);
  assert.equal(answer.model, 'whatever');
  assert.deepEqual(answer.choices[0]?.message, { role: 'assistant', content: 'Hello.' });
  assert.deepEqual(answer.usage, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
  const [session] = await store.sessions.list({ source: 'api_server' });
  assert.equal(session?.preview, 'say hi');
});

test('a stream has a role, text, an end with usage; its text is what is stored', async (t) => {
  const { url, model, store } = await startApi(t);
  model.enqueue({ text: 'A somewhat longer answer, in a few pieces.' });
  const stream = await clientOf(url).chat.completions.create({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'tell me' }],
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
  assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
  assert.equal(chunks.at(-1)?.usage?.total_tokens, 15);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  const [session] = await store.sessions.list({ source: 'api_server' });
  const stored = await store.messages.conversation(session?.id ?? '');
  assert.equal(stored.at(-1)?.content, text);
});

test('what tools do is told beside the text, and the text goes on after it', async (t) => {
  const { post, model, place } = await startApi(t);
  place.put('a.txt', 'hello\n');
  const look = (path: string) => ({ toolCalls: [{ name: 'read_file', arguments: { path } }] });
  model.enqueue(look('a.txt'), look('b.txt'), { text: 'Done.' });
  const response = await post('/v1/chat/completions', { stream: true, messages: [{ role: 'user', content: 'look' }] });
  const events = await eventsOf(response);
  const progress = events.filter(({ event }) => event === 'hermes.tool.progress').map(({ data }) => JSON.parse(data));
  assert.deepEqual(
    progress.map(({ tool, status }) => [tool, status]),
    [
      ['read_file', 'running'],
      ['read_file', 'completed'],
      ['read_file', 'running'],
      ['read_file', 'completed'],
    ],
  );
  const chunks = events.filter(({ event, data }) => event === undefined && data !== '[DONE]');
  const text = chunks.map(({ data }) => JSON.parse(data).choices[0].delta.content ?? '').join('');
  assert.equal(text, 'Done.');
  assert.equal(events.at(-1)?.data, '[DONE]');
});

test('loops over choices and the stream helper of the official client read a turn with tools', async (t) => {
  const { url, model, place } = await startApi(t);
  place.put('a.txt', 'hello\n');
  const turn = [{ toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'It says hello.' }];
  model.enqueue(...turn, ...turn);
  const client = clientOf(url);
  const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'look' }] };
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    const [choice] = chunk.choices;
    assert.ok(choice);
    text += choice.delta.content ?? '';
  }
  assert.equal(text, 'It says hello.');
  const helped = await client.chat.completions.stream(asked).finalChatCompletion();
  assert.equal(helped.choices[0]?.message.content, 'It says hello.');
});

test('a stream that its reader closes ends the turn', async (t) => {
  const { ask, model, place } = await startApi(t);
  place.put('a.txt', 'x\n');
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  model.enqueue({ text: 'A long answer that is not over yet.', gateAfterFirst: gate.promise });
  const reader = new AbortController();
  const response = await ask('/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'talk' }] }),
    signal: reader.signal,
  });
  await response.body?.getReader().read();
  await model.requestArrived(1);
  reader.abort();
  await until(async () => {
    const health = z.object({ active_agents: z.number() });
    return (await jsonOf(ask('/health/detailed'), health)).active_agents === 0;
  });
  assert.equal(model.requests.length, 1);
});

test('messages without a question, and content that no model can be given, are refused by name', async (t) => {
  const { post } = await startApi(t);
  const ask = (body: unknown) => post('/v1/chat/completions', body);
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  for (const [body, status, code] of [
    [{ messages: [] }, 400, null],
    [{}, 400, null],
    [{ messages: [{ role: 'system', content: 'be kind' }] }, 400, null],
    [user([{ type: 'file', file: { file_id: 'x' } }]), 400, 'unsupported_content_type'],
    [
      user([{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,AA==' } }]),
      400,
      'unsupported_content_type',
    ],
    [user([{ type: 'image_url', image_url: { url: '' } }]), 400, 'invalid_image_url'],
    [user([{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } }]), 400, 'invalid_image_url'],
    [
      user([{ type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'huge' } }]),
      400,
      'invalid_content_part',
    ],
    [user([1]), 400, 'invalid_content_part'],
  ] as const) {
    const response = await ask(body);
    assert.equal(response.status, status, JSON.stringify(body));
    assert.equal(await codeOf(response), code, JSON.stringify(body));
  }
});

test('a picture and a system text reach the model, over the prompt of the agent', async (t) => {
  const { post, model } = await startApi(t);
  model.enqueue({ text: 'A dot.' });
  const url = `data:image/png;base64,${makePng(3, 2).toString('base64')}`;
  const response = await post('/v1/chat/completions', {
    messages: [
      { role: 'system', content: 'answer in French' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is it' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  });
  assert.equal(response.status, 200);
  const [system, user] = model.requests[0]?.body.messages ?? [];
  assert.match(textOf(system), /answer in French/);
  assert.ok(textOf(system).length > 500, 'the prompt of the agent is there');
  assert.ok(model.requests[0]?.body.tools?.some(({ function: { name } }) => name === 'read_file'));
  assert.deepEqual(user?.content, [
    { type: 'text', text: 'what is it' },
    { type: 'image_url', image_url: { url } },
  ]);
});

test('a client that keeps the conversation sends its pictures again, and the model reads the same bytes', async (t) => {
  const { post, model } = await startApi(t, { respond: () => ({ text: 'A dot.' }) });
  const told = makePng(3, 2, { before: [pngChunk('tEXt', Buffer.from('Author\0SECRET'))] });
  const url = `data:image/png;base64,${told.toString('base64')}`;
  const first = { role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] };
  assert.equal((await post('/v1/chat/completions', { messages: [first] })).status, 200);
  const answered = { role: 'assistant', content: 'A dot.' };
  await post('/v1/chat/completions', { messages: [first, answered, { role: 'user', content: 'sure?' }] });
  const [before, after] = model.requests.map(({ body }) => body.messages.find(({ role }) => role === 'user')?.content);
  const plain = `data:image/png;base64,${makePng(3, 2).toString('base64')}`;
  assert.deepEqual(before, [{ type: 'image_url', image_url: { url: plain, detail: 'low' } }]);
  assert.deepEqual(after, before);
});

test('a named session goes on from what is stored; without a name its client tells it', async (t) => {
  const { post, model } = await startApi(t, { respond: () => ({ text: 'Yes.' }) });
  const say = (content: string, headers: Record<string, string>) =>
    post('/v1/chat/completions', { messages: [{ role: 'user', content }] }, headers);
  const first = await say('I am Ann', { 'x-hermes-session-id': 't1', 'x-hermes-session-key': 'ann' });
  assert.equal(first.headers.get('x-hermes-session-id'), 't1');
  assert.equal(first.headers.get('x-hermes-session-key'), 'ann');
  await say('who am I', { 'x-hermes-session-id': 't1', 'x-hermes-session-key': 'ann' });
  assert.deepEqual(saidTo(model, 1), ['I am Ann', 'Yes.', 'who am I']);
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'changed by its client' },
    { role: 'user', content: 'two' },
  ];
  const told = await post('/v1/chat/completions', { messages });
  assert.match(told.headers.get('x-hermes-session-id') ?? '', /^api-[0-9a-f]{16}$/);
  assert.deepEqual(saidTo(model, 2), ['one', 'changed by its client', 'two']);
});

test('two requests in one session are answered one after the other', async (t) => {
  const { post, model } = await startApi(t);
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'First.', gate: gate.promise }, { text: 'Second.' });
  const say = (content: string) =>
    post('/v1/chat/completions', { messages: [{ role: 'user', content }] }, { 'x-hermes-session-id': 's' });
  const first = say('a');
  await model.requestArrived(1);
  const second = say('b');
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(saidTo(model, 1), ['a', 'First.', 'b']);
});

test('conversations that begin alike do not wait for each other, nor mix', async (t) => {
  const { post, model } = await startApi(t);
  const gate = Promise.withResolvers<void>();
  model.enqueue({ text: 'First.', gate: gate.promise }, { text: 'Second.' });
  const say = () => post('/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] });
  const first = say();
  await model.requestArrived(1);
  const second = await say();
  gate.resolve();
  assert.notEqual(second.headers.get('x-hermes-session-id'), (await first).headers.get('x-hermes-session-id'));
  assert.deepEqual(saidTo(model, 1), ['hi']);
});

test('the same request with the same key is run once', async (t) => {
  const { post, model } = await startApi(t, { respond: () => ({ text: 'The answer.' }) });
  const ask = (content: string) =>
    post('/v1/chat/completions', { messages: [{ role: 'user', content }] }, { 'idempotency-key': 'a' });
  const answers = z.object({
    id: z.string(),
    choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
  });
  const both = await Promise.all([ask('x'), ask('x')].map((response) => jsonOf(response, answers)));
  const again = await jsonOf(ask('x'), answers);
  assert.equal(model.requests.length, 1);
  assert.equal(new Set([...both, again].map(({ id }) => id)).size, 3);
  assert.equal(new Set([...both, again].map(({ choices }) => choices[0]?.message.content)).size, 1);
  await ask('y');
  assert.equal(model.requests.length, 2);
});

test('a turn that fails without a word is a 502 that says why, and is run again with its key', async (t) => {
  const { post, model } = await startApi(t);
  model.enqueue({ fault: 'status', status: 400, body: { error: { message: 'no such thing' } } }, { text: 'Now.' });
  const ask = () =>
    post('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }, { 'idempotency-key': 'k' });
  const failed = await ask();
  assert.equal(failed.status, 502);
  assert.equal(failed.headers.get('x-hermes-completed'), 'false');
  assert.equal(await codeOf(failed), 'agent_incomplete');
  assert.equal((await ask()).status, 200);
});

test('more turns than may run are refused, and so is everything while the server stops', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { post, model, server } = await startApi(t, {
    config: 'gateway:\n  api_server:\n    max_concurrent_runs: 1\n',
    drainMs: 60_000,
  });
  model.enqueue({ text: 'Slow.', gate: gate.promise });
  const ask = () => post('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] });
  const slow = ask();
  await model.requestArrived(1);
  const refused = await ask();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(await codeOf(refused), 'rate_limit_exceeded');
  const stopped = server.stop();
  gate.resolve();
  assert.equal((await slow).status, 200, 'what runs is finished');
  await stopped;
});

test('while the gateway takes nothing new, turns are refused and looking is not', async (t) => {
  let draining = true;
  const gateway = {
    ...noGateway,
    get draining() {
      return draining;
    },
  };
  const { post, ask, model } = await startApi(t, { gateway, respond: () => ({ text: 'Ok.' }) });
  const messages = [{ role: 'user', content: 'x' }];
  const refused = await post('/v1/chat/completions', { messages });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.equal(await codeOf(refused), 'gateway_draining');
  assert.equal((await post('/v1/responses', { input: 'x' })).status, 503);
  assert.equal((await post('/v1/runs', { input: 'x' })).status, 503);
  assert.equal((await ask('/v1/models')).status, 200);
  assert.equal(model.requests.length, 0);
  draining = false;
  assert.equal((await post('/v1/chat/completions', { messages })).status, 200);
});

test('a request may name another model that was set up', async (t) => {
  const { post, ask, model } = await startApi(t, {
    extra: '{model_routes: {fast: {model: m2}}}',
    respond: () => ({ text: 'Ok.' }),
  });
  for (const name of ['fast', 'something']) {
    await post('/v1/chat/completions', { model: name, messages: [{ role: 'user', content: name }] });
  }
  assert.deepEqual(
    model.requests.map(({ body }) => body.model),
    ['m2', 'test-model'],
  );
  const models = await jsonOf(ask('/v1/models'), z.object({ data: z.array(z.object({ id: z.string() })) }));
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['hermes-agent', 'fast'],
  );
});

/** What the model got in a request, without the prompt. */
function saidTo(model: ModelServer, index: number): unknown[] {
  const messages = model.requests[index]?.body.messages ?? [];
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => content);
}
