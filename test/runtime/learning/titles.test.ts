/** Titles after the first exchange. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { headless } from '../../../src/agent/human.ts';
import { titleFor, titleSession } from '../../../src/runtime/learning/titles.ts';
import { until } from '../../environments/support.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { homeWith, textOf } from '../support.ts';
import { query, temporaryStore } from '../../sessions/support.ts';
import { reply, sideModels, used, user } from './support.ts';

const { signal } = new AbortController();
const exchange = { user: 'My Nginx gives 502', assistant: 'Is the upstream alive?' };

async function titleOf(text: string): Promise<string | undefined> {
  await using server = await startModelServer({ respond: () => ({ text }) });
  return await titleFor(exchange, { side: (await sideModels(server)).models, language: '' }, signal);
}

test('what a model puts around a title is taken off', async () => {
  assert.equal(await titleOf('"Title: Nginx 502 upstream"'), 'Nginx 502 upstream');
  assert.equal(await titleOf('**Nginx 502**\nThis title says ...'), 'Nginx 502');
  assert.equal(await titleOf('<think>hm</think>\n\n# Nginx 502'), 'Nginx 502');
  assert.equal(await titleOf('「東京の天気」'), '東京の天気');
  assert.equal(await titleOf('x'.repeat(100)), `${'x'.repeat(77)}...`);
  assert.equal(await titleOf('""'), undefined);
});

test('whatever a model answers, the title fits or there is none', async () => {
  let text = '';
  await using server = await startModelServer({ respond: () => ({ text }) });
  const side = await sideModels(server);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), async (answer) => {
      text = answer;
      const title = await titleFor(exchange, { side: side.models, language: '' }, signal);
      if (title === undefined) return;
      assert.ok(Array.from(title).length <= 80 && title.trim() === title && !/[\p{Cc}\u200b]/u.test(title), title);
    }),
    { numRuns: 25 },
  );
});

test('the model sees 500 characters of each side, between lines that mark them as material, and the language', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'Ein Titel' }) });
  const side = await sideModels(server);
  const long = { user: 'u'.repeat(2000), assistant: 'a'.repeat(2000) };
  await titleFor(long, { side: side.models, language: 'German' }, signal);
  const [system, question] = server.lastRequest.body.messages;
  assert.match(JSON.stringify(system), /in German/);
  const text = textOf(question);
  assert.equal(text.match(/u{500,}/)?.[0].length, 500);
  assert.equal(text.match(/a{500,}/)?.[0].length, 500);
  assert.deepEqual(side.booked, ['title_generation']);
});

test('a model that fails, or is not waited for, means no title', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
  await assert.rejects(titleFor(exchange, { side: (await sideModels(server)).models, language: '' }, signal), /401/);
  await using silent = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const stop = new AbortController();
  const waiting = titleFor(exchange, { side: (await sideModels(silent)).models, language: '' }, stop.signal);
  await silent.requestArrived(1);
  stop.abort();
  await assert.rejects(waiting, /interrupted/);
});

test('a session is named once, at its beginning, and never over a name it has', async (t) => {
  const store = await temporaryStore(t);
  await using server = await startModelServer({ respond: () => ({ text: 'Same Name' }) });
  const options = { side: (await sideModels(server)).models, language: '' };
  for (const id of ['a', 'b', 'c', 'd']) await store.sessions.create({ id, source: 'cli' });
  const history = [user('hi'), ...used('terminal'), reply('hello')];
  assert.equal(await titleSession(store, 'a', history, options, signal), 'Same Name');
  assert.equal(await titleSession(store, 'b', history, options, signal), 'Same Name #2');
  await store.sessions.setTitle('c', 'Mine');
  assert.equal(await titleSession(store, 'c', history, options, signal), undefined);
  const grown = [...history, user('2'), reply('2'), user('3'), reply('3')];
  assert.equal(await titleSession(store, 'd', grown, options, signal), undefined);
  assert.equal(await titleSession(store, 'd', [user('hi')], options, signal), undefined);
  assert.equal(await titleSession(store, 'unknown', history, options, signal), undefined);
  assert.equal(server.requests.length, 2);
});

test('a name that the user gives while the model thinks stays', async (t) => {
  const store = await temporaryStore(t);
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({ respond: () => ({ text: 'Late', gate: gate.promise }) });
  await store.sessions.create({ id: 'a', source: 'cli' });
  const options = { side: (await sideModels(server)).models, language: '' };
  const naming = titleSession(store, 'a', [user('hi'), reply('hello')], options, signal);
  await server.requestArrived(1);
  await store.sessions.setTitle('a', 'Mine');
  gate.resolve();
  assert.equal(await naming, undefined);
  assert.equal((await store.sessions.get('a'))?.title, 'Mine');
});

test('a session that learns has its title after the first exchange, another one has none', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => ({
      text: /Write a title/.test(textOf(body.messages[0])) ? 'Nginx 502 Upstream' : 'Is it alive?',
    }),
  });
  const program = await homeWith(t, server, '')();
  const session = await program.openSession({ surface: 'cli', human: headless, mode: { learns: true } });
  await session.agent.runConversation(exchange.user);
  await until(async () => typeof (await session.row())?.title === 'string', 'the session has a title');
  assert.equal((await session.row())?.title, 'Nginx 502 Upstream');
  assert.equal(server.requests.length, 2);
  const path = join(program.options.home.path, 'state.db');
  const booked = () =>
    query(path, 'SELECT task, api_call_count AS calls FROM session_model_usage ORDER BY task').map((row) => ({
      ...row,
    }));
  await until(() => booked().length === 2, 'both requests are booked');
  assert.deepEqual(booked(), [
    { task: '', calls: 1 },
    { task: 'title_generation', calls: 1 },
  ]);
  assert.equal((await session.row())?.api_call_count, 1, 'the totals are those of the conversation');
  await session.agent.runConversation('yes');
  await session.close('cli_close');
  assert.equal(server.requests.length, 3, 'it is named once');
  const other = await program.openSession({ surface: 'cli', human: headless });
  await other.agent.runConversation(exchange.user);
  await other.close('cli_close');
  assert.equal((await other.row())?.title, null);
  assert.equal(server.requests.length, 4);
});
