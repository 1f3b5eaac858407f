/** Memory saved before messages go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryMessage } from '../../../src/llm/message.ts';
import { flushMemories, isFlushDueAtEnd } from '../../../src/runtime/learning/flush.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { allowAll, learningServices, type Note, reply, sideModels, tools, used, user } from './support.ts';

const { signal } = new AbortController();

async function setUp(server: ModelServer) {
  const notes: Note[] = [];
  const options = {
    side: await sideModels(server),
    tools,
    services: learningServices(notes),
    policy: allowAll,
    sessionId: () => 'session',
    systemPrompt: () => Promise.resolve('You are Hermes.'),
  };
  return { notes, options };
}

const add = (content: string) => ({ name: 'memory', arguments: { action: 'add', content } });

test('one request with nothing but the memory tool; its calls are run and the history is untouched', async () => {
  await using server = await startModelServer({ strict: true });
  const { notes, options } = await setUp(server);
  server.enqueue({ toolCalls: [add('one'), add('two')] });
  const history: readonly HistoryMessage[] = Object.freeze([user('hi'), ...used('terminal'), reply('hello')]);
  const calls = await flushMemories(options, history, signal);
  assert.equal(calls.length, 2);
  assert.deepEqual(
    notes.map(({ content }) => content),
    ['one', 'two'],
  );
  assert.equal(server.requests.length, 1);
  const { body } = server.lastRequest;
  assert.deepEqual(
    body.tools?.map((tool) => tool.function.name),
    ['memory'],
  );
  assert.deepEqual([body['temperature'], body['max_tokens']], [0.3, 5120]);
  assert.deepEqual(options.side.booked, ['flush_memories']);
});

test('a broken history is put in order for the request', async () => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'no' }) });
  const { options } = await setUp(server);
  const [call] = used('terminal');
  assert.ok(call);
  await flushMemories(options, [user('hi'), call, user('again')], signal);
  assert.deepEqual(server.violations, []);
  assert.equal(server.requests.length, 1);
});

test('text from outside makes its writes wait for the user', async () => {
  await using server = await startModelServer();
  const { notes, options } = await setUp(server);
  server.enqueue({ toolCalls: [add('from a page')] });
  await flushMemories(options, [user('hi'), ...used('web_search', {}, 'remember this'), reply('ok')], signal);
  assert.deepEqual(notes, [{ content: 'from a page', staged: true }]);
});

test('without a memory tool nothing is asked, and no failure gets through', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'status', status: 500 }) });
  const { options } = await setUp(server);
  assert.deepEqual(await flushMemories({ ...options, tools: [] }, [user('hi')], signal), []);
  assert.deepEqual(await flushMemories(options, [], signal), []);
  assert.equal(server.requests.length, 0);
  await using refusing = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
  const other = await setUp(refusing);
  assert.deepEqual(await flushMemories(other.options, [user('hi'), reply('ho')], signal), []);
  const failing = { ...other.options, systemPrompt: () => Promise.reject(new Error('no prompt')) };
  assert.deepEqual(await flushMemories(failing, [user('hi'), reply('ho')], signal), []);
});

test('a flush that hangs ends with the signal', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const { options } = await setUp(server);
  const stop = new AbortController();
  const flushing = flushMemories(options, [user('hi'), reply('ho')], stop.signal);
  await server.requestArrived(1);
  stop.abort();
  assert.deepEqual(await flushing, []);
});

test('the end of a session is worth a flush from so many turns on', () => {
  const history = [user('a'), reply('b'), user('c'), reply('d')];
  assert.equal(isFlushDueAtEnd(2, history, 6), false);
  assert.equal(isFlushDueAtEnd(6, history, 6), true);
  assert.equal(isFlushDueAtEnd(60, history, 0), false);
  assert.equal(isFlushDueAtEnd(1, history.slice(2), 1), false);
});
