/** What a session's row says of its folder, its settings and its models, and where a resume goes on. */
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SessionBooks } from '../../src/runtime/session-books.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { execute, query } from '../sessions/support.ts';
import { chatAt, homeWith, openChat, placeFor } from './support.ts';

const usage = { prompt_tokens: 900, completion_tokens: 100 };
const respond = () => ({ text: 'Done.', usage });

test('a session remembers its folder, its repository and its settings', async (t) => {
  await using server = await startModelServer({ respond });
  const place = placeFor(t, server, 'agent:\n  max_turns: 17\n  reasoning_effort: high\n');
  place.put('.git/HEAD', 'ref: refs/heads/feature/tax\n');
  mkdirSync(join(place.work, 'api'));
  const chat = await chatAt(place, { cwd: join(place.work, 'api') });
  await chat.say('hello');
  const row = await chat.session.row();
  assert.deepEqual(
    [row?.cwd, row?.git_branch, row?.git_repo_root],
    [join(place.work, 'api'), 'feature/tax', place.work],
  );
  const { max_iterations, reasoning_config } = JSON.parse(row?.model_config ?? '{}');
  assert.deepEqual([max_iterations, reasoning_config], [17, { enabled: true, effort: 'high' }]);
});

test('a worktree of git names its directory in a file', async (t) => {
  await using server = await startModelServer({ respond });
  const place = placeFor(t, server);
  place.put('.git', `gitdir: ${place.put('main/worktrees/w/HEAD', 'ref: refs/heads/w\n').replace('/HEAD', '')}\n`);
  const chat = await chatAt(place);
  await chat.say('hello');
  const row = await chat.session.row();
  assert.deepEqual([row?.git_branch, row?.git_repo_root], ['w', place.work]);
});

test('a resume goes back to the folder of the session, unless it is to stay or the folder is gone', async (t) => {
  await using server = await startModelServer({ respond });
  const place = placeFor(t, server);
  const folder = join(realpathSync(place.work), 'other');
  mkdirSync(folder);
  const first = await chatAt(place, { cwd: folder });
  await first.say('hello');
  const resume = first.session.id;
  await first.leave();
  const pwd = async (options: { keepCwd?: boolean }): Promise<string> => {
    const chat = await chatAt(place, { resume, mode: options });
    server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'pwd' } }] });
    await chat.say('where?');
    const result = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    await chat.leave();
    return `${JSON.stringify(result?.content)} ${chat.session.warnings.join()}`;
  };
  assert.match(await pwd({}), /\/work\/other/);
  assert.doesNotMatch(await pwd({ keepCwd: true }), /\/work\/other/);
  rmSync(folder, { recursive: true });
  assert.match(await pwd({}), /\/work\\".* The folder of this session is not there any more: .*\/work\/other/);
});

test('each model of a session has its own sum, side tasks too', async (t) => {
  await using server = await startModelServer({ respond });
  const { say, session, store, place } = await openChat(t, server);
  await say('one');
  await say('two');
  const delta = {
    input_tokens: 5,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    api_calls: 1,
    model: 'small',
    billing_provider: 'p',
  };
  await store.usage.add(session.id, { ...delta, task: 'title_generation' });
  const columns = 'model, task, api_call_count AS calls, input_tokens AS input, output_tokens AS output';
  const rows = query(join(place.homePath, 'state.db'), `SELECT ${columns} FROM session_model_usage ORDER BY task`);
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { model: 'test-model', task: '', calls: 2, input: 1800, output: 200 },
      { model: 'small', task: 'title_generation', calls: 1, input: 5, output: 1 },
    ],
  );
  const row = await session.row();
  assert.deepEqual([row?.input_tokens, row?.api_call_count], [1800, 2], 'the totals are those of the conversation');
});

test('insights counts what the original wrote, and what both wrote into one session only once', async (t) => {
  await using server = await startModelServer({ respond });
  const { say, session, store, place } = await openChat(t, server);
  await say('one');
  const now = Date.now() / 1000;
  execute(
    join(place.homePath, 'state.db'),
    `INSERT INTO sessions (id, source, started_at) VALUES ('theirs', 'telegram', ${now});
     INSERT INTO session_model_usage (session_id, model, billing_provider, api_call_count, input_tokens, output_tokens,
       estimated_cost_usd, cost_status, first_seen, last_seen) VALUES
       ('theirs', 'test-model', 'custom', 3, 3000, 30, 0.5, 'estimated', ${now}, ${now}),
       ('theirs', 'old', 'custom', 3, 3000, 30, 0, NULL, 1, 2);
     UPDATE session_model_usage SET api_call_count = 2, input_tokens = 1000 WHERE session_id = '${session.id}'`,
  );
  const { models, days } = (await store.usage.report({ since: now - 3600 })) ?? assert.fail();
  assert.deepEqual(
    models.map(({ model, calls, input, output, usd, unpriced }) => [model, calls, input, output, usd, unpriced]),
    [['test-model', 1 + 3 + 1, 900 + 3000 + 100, 130, 0.5, 2]],
  );
  assert.equal(days[0]?.calls, 5);
  assert.equal((await store.usage.report({ since: now - 3600, source: 'telegram' })).models[0]?.calls, 3);
});

test('what is asked beside a session before its first message is booked, under the task, in the row of that session', async (t) => {
  await using server = await startModelServer({ respond });
  const { store, models, options } = await homeWith(t, server, '')();
  assert.ok(store);
  const row = { id: 'new', source: 'telegram', userId: '7' };
  const books = new SessionBooks({ store, models, config: options.config }, () => row.id, { row: () => row });
  const counted = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  await books.recordSide('vision', counted, { provider: 'p', model: 'small', baseUrl: 'http://localhost' });
  const { source, user_id, api_call_count } = (await store.sessions.get('new')) ?? {};
  assert.deepEqual([source, user_id, api_call_count], ['telegram', '7', 0]);
  const path = join(options.home.path, 'state.db');
  const rows = query(path, 'SELECT session_id, model, task, api_call_count AS calls FROM session_model_usage');
  assert.deepEqual({ ...rows[0] }, { session_id: 'new', model: 'small', task: 'vision', calls: 1 });
});
