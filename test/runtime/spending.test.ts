/** Caps in tokens and money hold before each request, across restarts and between processes of a home. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { usageReportText } from '../../src/commands/info/usage-report.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { configFor } from '../cli/hermes-process.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';

/** Opens runtimes on one home, as several processes would. */
function homeWith(t: TestContext, server: ModelServer, moreConfig: string): () => Promise<Runtime> {
  const { home, env, write } = temporaryHome(t);
  write('config.yaml', configFor(server) + moreConfig);
  const cwd = join(home.path, '..', 'work');
  mkdirSync(cwd);
  return async () => {
    const config = await loadConfig({ home, env });
    const flags = { surface: 'cli', allowDemo: false, yolo: false, passSessionId: false, ignoreRules: false };
    const runtime = await createRuntime({ home, env, config, cwd, ...flags });
    t.after(() => runtime.close());
    return runtime;
  };
}

const usage = { prompt_tokens: 900, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
const step: Answer = { toolCalls: [{ name: 'todo', arguments: {} }], usage };

test('a turn ends at its cap, with one line that names the key', async (t) => {
  await using server = await startModelServer({ respond: () => step });
  const open = homeWith(t, server, 'limits:\n  turn_tokens: 2500\n');
  const session = await (await open()).openSession({ human: headless });
  const first = await session.agent.runConversation('go');
  assert.equal(server.requests.length, 3);
  assert.ok(first.failed);
  assert.match(
    first.error ?? '',
    /^Limit reached: 3,000 of 2,500 tokens this turn\..*hermes config set limits\.turn_tokens <number>$/,
  );
  // The next turn has a cap of its own.
  server.enqueue({ text: 'fine', usage });
  assert.equal((await session.agent.runConversation('again')).finalResponse, 'fine');
});

test('the cap of a session outlives the program', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
  const open = homeWith(t, server, 'limits:\n  session_tokens: 1500\n');
  const runtime = await open();
  const session = await runtime.openSession({ human: headless });
  await session.agent.runConversation('one');
  await session.agent.runConversation('two');
  await runtime.close();
  const again = await open();
  const row = await again.store?.getSession(session.id);
  const resumed = await again.openSession({ human: headless, ...(row === undefined ? {} : { resume: row }) });
  const refused = await resumed.agent.runConversation('three');
  assert.match(refused.error ?? '', /2,000 of 1,500 tokens this session.*limits\.session_tokens/);
  assert.equal(server.requests.length, 2);
  assert.equal((await (await again.openSession({ human: headless })).agent.runConversation('new')).finalResponse, 'ok');
});

test('the cap of a day is shared by everybody in the home, and counts money that the provider billed', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage: { ...usage, cost: 0.4 } }) });
  const open = homeWith(t, server, 'limits:\n  day_usd: 1\n');
  const [one, other] = [await open(), await open()];
  const mine = await one.openSession({ human: headless });
  const theirs = await other.openSession({ human: headless });
  for (const session of [mine, theirs, mine])
    assert.equal((await session.agent.runConversation('go')).finalResponse, 'ok');
  const refused = await theirs.agent.runConversation('go');
  assert.match(refused.error ?? '', /\$1\.20 of \$1\.00 today\..*limits\.day_usd <dollars>/);
  assert.equal(server.requests.length, 3);
  const row = await one.store?.getSession(mine.id);
  assert.deepEqual([row?.cost_status, row?.estimated_cost_usd], ['actual', 0.8]);
});

test('the report of insights counts requests, cached tokens, tools and days', async (t) => {
  await using server = await startModelServer();
  server.enqueue(step, { text: 'done', usage: { ...usage, cost: 0.25 } });
  const runtime = await homeWith(t, server, '')();
  const session = await runtime.openSession({ human: headless });
  await session.agent.runConversation('go');
  const report = await runtime.store?.usageReport({ since: Date.now() / 1000 - 3600 });
  assert.ok(report !== undefined);
  const [model] = report.models;
  assert.deepEqual(model, {
    provider: 'custom',
    model: 'test-model',
    calls: 2,
    input: 1000,
    output: 200,
    cacheRead: 800,
    cacheWrite: 0,
    usd: 0.25,
    unpriced: 1,
  });
  assert.deepEqual(report.tools, [{ name: 'todo', uses: 1 }]);
  assert.deepEqual([report.sessions, report.questions, report.days.length], [1, 1, 1]);
  const text = usageReportText(report, 30);
  assert.match(text, /1,800 in \(44% from the cache\), 200 out/);
  assert.match(text, /\$0\.25 \(and 1 requests without a known price\)/);
  const nothing = await runtime.store?.usageReport({ since: 0, source: 'telegram' });
  assert.deepEqual(nothing?.models, []);
});

test('without caps a request costs no look at the store', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
  const runtime = await homeWith(t, server, '')();
  const session = await runtime.openSession({ human: headless });
  const { store } = runtime;
  assert.ok(store !== undefined);
  store.spent = () => Promise.reject(new Error('asked'));
  assert.equal((await session.agent.runConversation('go')).finalResponse, 'ok');
});
