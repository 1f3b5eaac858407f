/** Caps in tokens and money hold before each request, across restarts and between processes of a home. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { usageReportText } from '../../src/commands/info/usage-report.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createPricing } from '../../src/runtime/pricing.ts';
import { CappedSpending } from '../../src/runtime/spending.ts';
import { StoreTranscript } from '../../src/sessions/store-transcript.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { until } from '../environments/support.ts';
import { startModelServer } from '../fakes/model-server.ts';
import type { Answer } from '../fakes/model-steps.ts';
import { temporaryStore } from '../sessions/support.ts';
import { errorOf, homeWith, isReview, isSummary, openChat } from './support.ts';

const usage = { prompt_tokens: 900, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
const step: Answer = { toolCalls: [{ name: 'todo', arguments: {} }], usage };

test('a turn ends at its cap, with one line that names the key', async (t) => {
  await using server = await startModelServer({ respond: () => step });
  const open = homeWith(t, server, 'limits:\n  turn_tokens: 2500\n');
  const session = await (await open()).openSession({ surface: 'cli', human: headless });
  const first = await session.agent.runConversation('go');
  assert.equal(server.requests.length, 3);
  assert.equal(first.ended, 'failed');
  assert.match(
    errorOf(first) ?? '',
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
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  await session.agent.runConversation('one');
  await session.agent.runConversation('two');
  await runtime.close();
  const again = await open();
  const row = await again.store?.sessions.get(session.id);
  const resumed = await again.openSession({
    surface: 'cli',
    human: headless,
    ...(row === undefined ? {} : { resume: row }),
  });
  const refused = await resumed.agent.runConversation('three');
  assert.match(errorOf(refused) ?? '', /2,000 of 1,500 tokens this session.*limits\.session_tokens/);
  assert.equal(server.requests.length, 2);
  assert.equal(
    (await (await again.openSession({ surface: 'cli', human: headless })).agent.runConversation('new')).finalResponse,
    'ok',
  );
});

test('the cap of a day is shared by everybody in the home, and counts money that the provider billed', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage: { ...usage, cost: 0.4 } }) });
  const open = homeWith(t, server, 'limits:\n  day_usd: 1\n  unknown_price: allow\n');
  const [one, other] = [await open(), await open()];
  const mine = await one.openSession({ surface: 'cli', human: headless });
  const theirs = await other.openSession({ surface: 'cli', human: headless });
  for (const session of [mine, theirs, mine])
    assert.equal((await session.agent.runConversation('go')).finalResponse, 'ok');
  const refused = await theirs.agent.runConversation('go');
  assert.match(errorOf(refused) ?? '', /\$1\.20 of \$1\.00 today\..*limits\.day_usd <dollars>/);
  assert.equal(server.requests.length, 3);
  const row = await one.store?.sessions.get(mine.id);
  assert.deepEqual([row?.cost_status, row?.estimated_cost_usd], ['actual', 0.8]);
});

for (const [limits, reason] of [
  ['day_usd: $5', /limits\.day_usd: '\$5' is not a number/],
  ['turn_tokens: -5', /limits\.turn_tokens: -5 is less than 0/],
  ['session_tokens: 10k', /limits\.session_tokens: '10k' is not a number/],
  ['daily_tokens: 5', /limits\.daily_tokens: is not a limit/],
] as const) {
  test(`a limit that cannot be read (${limits}) stops the request and says how to mend it`, async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
    const session = await (await homeWith(t, server, `limits:\n  ${limits}\n`)()).openSession({
      surface: 'cli',
      human: headless,
    });
    const refused = errorOf(await session.agent.runConversation('go')) ?? '';
    assert.match(refused, reason);
    assert.match(refused, /^Nothing was sent: .*hermes config set limits\./);
    assert.equal(server.requests.length, 0);
  });
}

test('a limit in dollars stops requests whose price nobody knows', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
  const session = await (await homeWith(t, server, 'limits:\n  day_usd: 1\n')()).openSession({
    surface: 'cli',
    human: headless,
  });
  const refused = errorOf(await session.agent.runConversation('go')) ?? '';
  assert.match(refused, /limits\.day_usd cannot be kept, because the price of test-model \(custom\) is not known/);
  assert.match(refused, /hermes config set limits\.day_tokens <number>/);
  assert.equal(server.requests.length, 0);
});

test('the report of insights counts requests, cached tokens, tools, days and places, and names what stands out', async (t) => {
  await using server = await startModelServer();
  server.enqueue(step, { text: 'done', usage: { ...usage, cost: 0.25 } });
  const runtime = await homeWith(t, server, '')();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  await session.agent.runConversation('go');
  const report = await runtime.store?.usage.report({ since: Date.now() / 1000 - 3600 });
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
  assert.deepEqual(report.platforms, [{ name: 'cli', sessions: 1, messages: 4 }]);
  assert.deepEqual(
    report.notable.filter(({ most }) => most !== 'seconds').map(({ most, id, value }) => [most, id, value]),
    [
      ['messages', session.id, 4],
      ['tools', session.id, 1],
      ['tokens', session.id, 1200],
    ],
  );
  const titles = text.split('\n').filter((line) => /^\S/.test(line));
  assert.deepEqual(titles, [
    'Overview (last 30 days)',
    'Models Used',
    'Platforms',
    'Top Tools',
    'Activity Patterns',
    'Days',
    'Notable Sessions',
  ]);
  assert.match(text, /^ {2}Questions: Mon \d, Tue \d, .*, Sun \d$/m);
  assert.match(text, /^ {2}Busiest hours: \d\d:00 \(1\)$/m);
  const nothing = await runtime.store?.usage.report({ since: 0, source: 'telegram' });
  assert.deepEqual(nothing?.models, []);
});

test('without caps a request costs no look at the store', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage }) });
  const runtime = await homeWith(t, server, '')();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  const { store } = runtime;
  assert.ok(store !== undefined);
  store.usage.spent = () => Promise.reject(new Error('asked'));
  assert.equal((await session.agent.runConversation('go')).finalResponse, 'ok');
});

test('a cap holds where the server reports no usage: the tokens are estimated, and stored as an estimate', async (t) => {
  const silent: Answer = { ...step, usage: false };
  await using server = await startModelServer({ respond: () => silent });
  const runtime = await homeWith(t, server, 'limits:\n  turn_tokens: 10\n')();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  const error = errorOf(await session.agent.runConversation('go'));
  assert.match(error ?? '', /^Limit reached: [\d,]+ of 10 tokens this turn\./);
  assert.equal(server.requests.length, 1);
  const row = await session.row();
  assert.deepEqual([row?.cost_status, row?.cost_source, row?.api_call_count], ['unknown', 'token_estimate', 1]);
  // The request was the system prompt and the tools for the most part: a few thousand tokens, not a few.
  const stored = row?.input_tokens ?? 0;
  const sent = server.lastRequest.rawBody.length / 4;
  assert.ok(stored > sent * 0.7 && stored < sent * 1.1, `${stored} of ${sent}`);
  assert.deepEqual([session.agent.tokens.input_tokens, session.agent.tokens.last_prompt_tokens], [stored, 0]);
});

test('an estimate of tokens is priced like a report, and says that it is one', async () => {
  const facts = { source: 'catalogue', price: { input: 2, output: 8 } } as const;
  const price = createPricing({
    knowledge: { facts: () => Promise.resolve(facts), models: () => Promise.resolve([]) },
    settings: {},
  });
  const tokens = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  const on = { provider: 'p', model: 'm', baseUrl: '' };
  const cost = { estimated_cost_usd: 2, cost_status: 'estimated' };
  assert.deepEqual(await price(tokens, on), { ...cost, cost_source: 'catalogue' });
  assert.deepEqual(await price({ ...tokens, estimated: true }, on), { ...cost, cost_source: 'token_estimate' });
});

test('what this program computes itself costs nothing, so a limit in money does not stop it', async () => {
  const price = createPricing({ settings: {} });
  const tokens = { input: 1_000_000, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  for (const provider of ['demo', 'local']) {
    const cost = await price(tokens, { provider, model: 'm', baseUrl: '' });
    assert.deepEqual(cost, { estimated_cost_usd: 0, cost_status: 'included' }, provider);
  }
});

/** Two models that have a price, at the address of a fake server, behind one name. */
function mixtureAt(url: string): readonly [config: string, env: Record<string, string>] {
  const preset = `moa:
  presets:
    team:
      reference_models: [{provider: deepseek, model: deepseek-chat}]
      aggregator: {provider: zai, model: glm-4.6}
`;
  const env = { DEEPSEEK_API_KEY: 'sk-deepseek', GLM_API_KEY: 'sk-glm', DEEPSEEK_BASE_URL: url, GLM_BASE_URL: url };
  return [`model:\n  provider: moa\n  default: team\n${preset}`, env];
}

test('each model of a mixture is booked with its own price, and caps in money hold for it', async (t) => {
  const million = { prompt_tokens: 1_000_000, completion_tokens: 0 };
  await using server = await startModelServer({ respond: () => ({ text: 'ok', usage: million }) });
  const [config, env] = mixtureAt(server.url);
  const runtime = await homeWith(t, undefined, `${config}limits:\n  session_usd: 0.0042\n`, env)();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  assert.equal((await session.agent.runConversation('go')).finalResponse, 'ok');
  const report = await runtime.store?.usage.report({ since: 0 });
  assert.deepEqual(
    report?.models.map(({ provider, model, calls, input, usd }) => [provider, model, calls, input, usd]),
    [
      ['zai', 'glm-4.6', 1, 1_000_000, 0.6],
      ['deepseek', 'deepseek-chat', 1, 1_000_000, 0.28],
    ],
  );
  assert.equal((await session.row())?.cost_status, 'estimated');
  assert.match(errorOf(await session.agent.runConversation('more')) ?? '', /\$0\.88 of \$0\.0042 this session/);
  assert.equal(server.requests.length, 2);
  // Only what the aggregator read fills the window.
  assert.equal(session.agent.tokens.input_tokens, 2_000_000);
  assert.equal(session.agent.tokens.last_prompt_tokens, 1_000_000);
});

test('the views of a mixture are booked even when its aggregator reports nothing, or fails', async (t) => {
  await using server = await startModelServer({
    respond: ({ body }) => {
      if (body.model === 'deepseek-chat') return { text: 'a view', usage };
      return server.requests.length > 2 ? { fault: 'status', status: 401 } : { text: 'ok', usage: false };
    },
  });
  const [config, env] = mixtureAt(server.url);
  const runtime = await homeWith(t, undefined, config, env)();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  await session.agent.runConversation('go');
  assert.equal((await session.agent.runConversation('and again')).ended, 'failed');
  const models = (await runtime.store?.usage.report({ since: 0 }))?.models ?? [];
  const calls = Object.fromEntries(models.map((entry) => [entry.model, [entry.calls, entry.usd !== null]]));
  assert.deepEqual(calls, { 'deepseek-chat': [2, true], 'glm-4.6': [1, true] });
});

test('the cap of a job counts what its earlier runs spent, and nobody else', async (t) => {
  const store = await temporaryStore(t);
  const on = { provider: 'custom', model: 'm', baseUrl: 'http://localhost/v1' };
  const tokens = { input: 900, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  for (const [id, jobId] of [
    ['run-1', 'news'],
    ['run-2', 'news'],
    ['run-3', 'backup'],
  ] as const) {
    const transcript = new StoreTranscript({
      store,
      session: { id, source: 'cron' },
      booking: { jobId },
      prompt: () => Promise.resolve(''),
    });
    await transcript.append({ role: 'user', content: 'go' });
    await transcript.recordUsage(tokens, on);
  }
  const { home, env, write } = temporaryHome(t);
  write('config.yaml', 'limits:\n  job_tokens: 1500\n');
  const { limits } = (await loadConfig({ home, env })).config;
  const refusalFor = async (job: { readonly jobId?: string }) =>
    await new CappedSpending({
      limits,
      store,
      sessionId: () => 'run-4',
      price: () => Promise.resolve({ cost_status: 'unknown' }),
      now: () => new Date(),
      ...job,
    }).refusal({ provider: 'custom', model: 'm', baseUrl: '' });
  assert.match((await refusalFor({ jobId: 'news' })) ?? '', /2,000 of 1,500 tokens this job.*limits\.job_tokens/);
  assert.equal(await refusalFor({ jobId: 'backup' }), undefined);
  assert.equal(await refusalFor({}), undefined, 'a conversation is no job');
});

test('the cap of a session counts what was spent before its history was compressed', async (t) => {
  await using server = await startModelServer({
    respond: (request) => ({ text: isSummary(request) ? '## Goal\nWords.' : 'word '.repeat(300), usage }),
  });
  const open = homeWith(
    t,
    server,
    'limits:\n  session_tokens: 4000\ncompression:\n  in_place: false\n  protect_first_n: 0\n',
  );
  const runtime = await open();
  const session = await runtime.openSession({ surface: 'cli', human: headless });
  for (const message of ['one', 'two', 'three']) await session.agent.runConversation(message);
  const parent = session.id;
  const { compaction } = await session.agent.compress({ keepExchanges: 1 });
  assert.ok(compaction !== undefined);
  assert.notEqual(session.id, parent);
  const row = await session.row();
  assert.equal(row?.parent_session_id, parent);
  // Three answers and what the summary took, all of them booked on the parent.
  assert.ok(((await session.spent())?.tokens ?? 0) >= 4000);
  const before = server.requests.length;
  assert.match(errorOf(await session.agent.runConversation('four')) ?? '', /of 4,000 tokens this session/);
  await session.close('cli_close');
  const resumed = await (await open()).openSession({
    surface: 'cli',
    human: headless,
    ...(row === undefined ? {} : { resume: row }),
  });
  assert.match(errorOf(await resumed.agent.runConversation('five')) ?? '', /of 4,000 tokens this session/);
  assert.equal(server.requests.length, before);
});

test('a side task whose model fails is told to the user of the session, once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'word '.repeat(300), usage }) });
  await using broke = await startModelServer({
    respond: () => ({ fault: 'status', status: 402, body: { error: { message: 'Payment required' } } }),
  });
  const task = `auxiliary:\n  compression:\n    base_url: ${broke.url}\n    model: small\n`;
  const warnings: string[] = [];
  const session = await (await homeWith(t, server, task)()).openSession({
    surface: 'cli',
    human: headless,
    notify: ({ line }) => void warnings.push(line),
  });
  for (const round of [1, 2]) {
    for (const message of ['one', 'two', 'three']) await session.agent.runConversation(`${message} ${round}`);
    await session.agent.compress({ keepExchanges: 1 });
  }
  assert.ok(broke.requests.length >= 2);
  assert.deepEqual(warnings, ['Auxiliary compression: continuing with test-model (custom).']);
});

const learning = { mode: { learns: true } };
const reviewing = 'memory:\n  nudge_interval: 1\n';

test('what is spent beside the conversation counts for its session, and not for the turn that runs meanwhile', async (t) => {
  const gate = Promise.withResolvers<void>();
  const much = { prompt_tokens: 5_000, completion_tokens: 0 };
  await using server = await startModelServer({
    title: 'A title',
    respond: (request) =>
      isReview(request) ? { text: 'Nothing to save.', usage: much, gate: gate.promise } : { text: 'ok', usage },
  });
  const limits = `${reviewing}limits:\n  turn_tokens: 2500\n  session_tokens: 8000\n`;
  const chat = await openChat(t, server, limits, learning);
  const booked = async () => (await chat.session.spent())?.tokens ?? 0;
  await chat.say('one');
  await server.requestArrived(2);
  const before = await booked();
  server.enqueue(async () => {
    gate.resolve();
    await until(async () => (await booked()) >= before + 5000, 'the review is booked');
    return step;
  });
  assert.equal(await chat.say('two'), 'ok');
  const refused = await chat.session.agent.runConversation('three');
  assert.match(errorOf(refused) ?? '', /of 8,000 tokens this session/);
});

test('a cap that is reached in a review ends the review alone, without a word', async (t) => {
  await using server = await startModelServer({
    title: 'A title',
    respond: (request) =>
      isReview(request)
        ? { toolCalls: [{ name: 'skills_list', arguments: {} }], usage: { prompt_tokens: 5_000, completion_tokens: 0 } }
        : { text: 'ok', usage },
  });
  const config = 'memory:\n  nudge_interval: 0\nskills:\n  creation_nudge_interval: 1\nlimits:\n  turn_tokens: 3000\n';
  const chat = await openChat(t, server, config, learning);
  server.enqueue(step);
  await chat.say('one');
  const log = join(chat.place.homePath, 'logs', 'errors.log');
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('Limit reached'), 'the review gave up');
  assert.equal(server.requests.filter(isReview).length, 1);
  assert.equal(await chat.say('two'), 'ok');
  assert.deepEqual([chat.warnings, chat.learned], [[], []]);
});
