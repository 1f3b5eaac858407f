/** Questions beside the conversation, each with its own model and its own ways round a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from '../../src/llm/model-error.ts';
import type { ModelSettings } from '../../src/providers/model-settings.ts';
import type { Usage } from '../../src/llm/protocol.ts';
import { ConfiguredSideModels, type SideModelsOptions } from '../../src/providers/side-models.ts';
import type { SideTaskSettings } from '../../src/providers/side-plan.ts';
import type { SideLadders, SideModels } from '../../src/llm/side-task.ts';
import type { ModelServer } from '../fakes/model-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import type { Step } from '../fakes/model-steps.ts';
import { resolveRoute, sourcesOf } from './sources.ts';

const answers = (text: string) => ({ respond: () => ({ text }) });
const fails = (status: number, message = 'no') => ({
  respond: (): Step => ({ fault: 'status', status, body: { error: { message } } }),
});

interface Setup {
  readonly side: SideModels & SideLadders;
  readonly warnings: string[];
  readonly used: string[];
}

async function setUp(
  main: ModelServer,
  task: Partial<SideTaskSettings>,
  more: Partial<SideModelsOptions> & { env?: Record<string, string>; own?: ModelSettings } = {},
): Promise<Setup> {
  const route = await resolveRoute({ provider: 'custom', baseUrl: main.url, model: 'main-model' }, {}, {});
  const warnings: string[] = [];
  const used: string[] = [];
  const settings = { provider: 'auto', model: '', base_url: '', api_key: '', timeout: 5, ...task };
  const { env = {}, own = {} } = more;
  const side = new ConfiguredSideModels({
    tasks: () => ({ vision: settings, compression: settings }),
    sources: sourcesOf(own, env),
    main: () => route,
    fallbacks: [],
    resolve: (request) => resolveRoute(request, {}, env),
    warn: (line) => void warnings.push(line),
    onUsage: async (name, _usage, { model }) => void used.push(`${name} ${model}`),
    ...more,
  });
  return { side, warnings, used };
}

const question = { messages: [{ role: 'user' as const, content: 'What is this?' }], temperature: 0.3, maxTokens: 100 };
const { signal } = new AbortController();

test('auto asks the model of the conversation, and the tokens are booked under the task', async () => {
  await using main = await startModelServer(answers('<think>hm</think>A cat.'));
  const { side, used } = await setUp(main, {});
  const { text, model } = await side.ask('vision', question, signal);
  assert.deepEqual([text, model], ['A cat.', 'main-model']);
  assert.deepEqual(used, ['vision main-model']);
  assert.equal(main.lastRequest.body['temperature'], 0.3);
  assert.equal(main.lastRequest.body['max_tokens'], 100);
});

test('an endpoint of the task beats its provider, and never gets the key of OpenRouter', async () => {
  await using main = await startModelServer(answers('main'));
  await using own = await startModelServer(answers('own'));
  const env = { OPENROUTER_API_KEY: 'sk-or-secret-1', OPENAI_API_KEY: 'sk-openai-1' };
  const task = { provider: 'openrouter', model: 'small', base_url: own.url };
  const { side } = await setUp(main, task, { env });
  assert.equal((await side.ask('vision', question, signal)).text, 'own');
  assert.equal(own.lastRequest.headers.authorization, 'Bearer sk-openai-1');
  assert.equal(own.lastRequest.body.model, 'small');
});

test('the environment beats the configuration, the call beats both', async () => {
  await using main = await startModelServer(answers('main'));
  await using own = await startModelServer(answers('own'));
  const env = { AUXILIARY_VISION_BASE_URL: own.url, AUXILIARY_VISION_MODEL: 'from-env' };
  const { side } = await setUp(main, { model: 'from-config' }, { env });
  await side.ask('vision', question, signal);
  assert.equal(own.lastRequest.body.model, 'from-env');
  await side.ask('vision', { ...question, model: 'from-call' }, signal);
  assert.equal(own.lastRequest.body.model, 'from-call');
});

test('a model that is named for pictures is asked at the provider of a conversation that does not see', async () => {
  await using main = await startModelServer(answers('a cat'));
  const blind = {
    ...(await resolveRoute({ provider: 'custom', baseUrl: main.url, model: 'blind' }, {}, {})),
    vision: false,
  };
  const { side } = await setUp(main, { model: 'seeing' }, { main: () => blind });
  assert.equal((await side.ask('vision', question, signal)).model, 'seeing');
});

test('a chosen model that is out of credit gives way to the main one; one that is only busy does not', async () => {
  await using main = await startModelServer(answers('from main'));
  await using broke = await startModelServer(fails(402, 'Payment required'));
  const first = await setUp(main, { base_url: broke.url, model: 'v' });
  assert.equal((await first.side.ask('vision', question, signal)).text, 'from main');
  assert.match(first.warnings.join(), /continuing with main-model/);
  await using busy = await startModelServer(fails(429, 'Slow down'));
  const second = await setUp(main, { base_url: busy.url, model: 'v' });
  await assert.rejects(second.side.ask('vision', question, signal), (error) => {
    assert.ok(error instanceof ModelError && error.kind === 'rate_limit');
    return true;
  });
});

test('auto goes on to the chain of the task, then to the fallbacks, and says when nothing is left', async () => {
  await using main = await startModelServer(fails(500));
  await using chained = await startModelServer(fails(401));
  await using last = await startModelServer(answers('at last'));
  const chain = [{ provider: 'custom', model: 'c', base_url: chained.url }];
  const fallbacks = [{ provider: 'custom:last', model: 'l', base_url: last.url }];
  const resolve: SideModelsOptions['resolve'] = (request) => resolveRoute({ ...request, provider: 'custom' }, {}, {});
  const { side } = await setUp(main, { fallback_chain: chain }, { fallbacks, resolve });
  assert.equal((await side.ask('compression', question, signal)).text, 'at last');
  assert.equal(chained.requests.length, 1);
  const alone = await setUp(main, {});
  await assert.rejects(alone.side.ask('compression', question, signal), /HTTP 500/);
  assert.match(alone.warnings.join(), /Auxiliary compression: .*all fallbacks exhausted/);
});

test('a model that cannot see is not asked about pictures', async () => {
  await using main = await startModelServer(answers('blind'));
  await using other = await startModelServer(answers('a cat'));
  const route = {
    ...(await resolveRoute({ provider: 'custom', baseUrl: main.url, model: 'm' }, {}, {})),
    vision: false,
  };
  const chain = [{ provider: 'custom', model: 'v', base_url: other.url }];
  const { side } = await setUp(main, { fallback_chain: chain }, { main: () => route });
  assert.equal((await side.ask('vision', question, signal)).text, 'a cat');
  assert.equal(main.requests.length, 0);
});

test('a model that cannot be reached is tried again before the next one is asked, as often as is configured', async () => {
  await using main = await startModelServer({ respond: () => ({ fault: 'status', status: 503 }) });
  for (const [retries, requests] of [
    [0, 1],
    [2, 3],
  ] as const) {
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const before = main.requests.length;
    const { side } = await setUp(main, {}, { retries: () => retries, sleep });
    await assert.rejects(side.ask('vision', question, signal), ModelError);
    assert.equal(main.requests.length - before, requests);
    assert.deepEqual(waits, [1000, 2000].slice(0, retries));
  }
});

test('a task thinks as hard as it is told to, and says nothing of it when it is not', async () => {
  await using main = await startModelServer(answers('x'));
  const at = { provider: 'openrouter', baseUrl: main.url, apiKey: 'a-key-of-a-test', model: 'openai/gpt-5' };
  const route = await resolveRoute(at, {}, {});
  for (const reasoningEffort of ['low', undefined] as const) {
    const { side } = await setUp(main, { reasoningEffort }, { main: () => route });
    await side.ask('compression', question, signal);
    const asked = reasoningEffort === undefined ? undefined : { enabled: true, effort: reasoningEffort };
    assert.deepEqual(main.lastRequest.body['reasoning'], asked);
    assert.equal((await side.ladder('compression', signal)).reasoningEffort, reasoningEffort);
  }
});

test('a task that takes too long ends at its own deadline, one that is not wanted any more at once', async () => {
  await using main = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const { side } = await setUp(main, { timeout: 0.1 });
  await assert.rejects(side.ask('vision', question, signal), /Auxiliary vision: no answer within 0\.1 s/);
  const controller = new AbortController();
  const patient = await setUp(main, { timeout: 60 });
  const asked = patient.side.ask('vision', question, controller.signal);
  await main.requestArrived(2);
  controller.abort();
  await assert.rejects(asked, (error) => error instanceof ModelError && error.kind === 'aborted');
});

test('a spending cap holds for side tasks too', async () => {
  await using main = await startModelServer(answers('x'));
  const { side } = await setUp(main, {}, { refusal: async () => 'Limit reached: raise it with limits.day_usd' });
  await assert.rejects(side.ask('vision', question, signal), /limits\.day_usd/);
  assert.equal(main.requests.length, 0);
});

test('a warning is given once, however often its reason comes up', async () => {
  await using main = await startModelServer(answers('from main'));
  await using broke = await startModelServer(fails(402));
  const { side, warnings } = await setUp(main, { base_url: broke.url, model: 'v' });
  for (const task of ['vision', 'vision', 'compression', 'compression'] as const)
    await side.ask(task, question, signal);
  assert.deepEqual(warnings, [
    'Auxiliary vision: continuing with main-model (custom).',
    'Auxiliary compression: continuing with main-model (custom).',
  ]);
});

test('an answer without reported usage is booked as an estimate of question and answer', async () => {
  await using main = await startModelServer({ respond: () => ({ text: 'a'.repeat(400), usage: false }) });
  const booked: Usage[] = [];
  const { side } = await setUp(main, {}, { onUsage: async (_task, usage) => void booked.push(usage) });
  const { usage } = await side.ask('vision', { messages: [{ role: 'user', content: 'q'.repeat(4000) }] }, signal);
  assert.equal(usage, undefined);
  assert.deepEqual(booked, [{ input: 1010, output: 110, cacheRead: 0, cacheWrite: 0, reasoning: 0, estimated: true }]);
});

/** The models that are asked when every one fails, in order. */
async function chainOf(task: 'vision' | 'compression', settings: ModelSettings, env: Record<string, string>) {
  await using main = await startModelServer(fails(500));
  const asked: string[] = [];
  const { side } = await setUp(
    main,
    {},
    {
      env,
      own: settings,
      resolve: ({ provider, model, baseUrl }) => {
        asked.push([provider, model, baseUrl].filter((part) => part !== undefined).join(' '));
        return Promise.reject(new ModelError('network', 'nobody there'));
      },
    },
  );
  await assert.rejects(side.ask(task, question, signal), /nobody there/);
  return asked;
}

test("endpoints of one's own come behind Nous for text, and last for pictures", async () => {
  const settings = {
    provider: 'custom',
    base_url: 'http://one:1/v1/',
    default: 'big',
    custom_providers: [
      { name: 'My Work', base_url: 'http://two:2/v1', model: 'small' },
      { name: 'Same', base_url: 'http://one:1/v1', model: 'again' },
    ],
  };
  const env = { OPENROUTER_API_KEY: 'sk-or-1', ANTHROPIC_API_KEY: 'sk-ant-1', CUSTOM_BASE_URL: 'http://three:3/v1' };
  const own = ['custom big http://one:1/v1', 'custom http://three:3/v1', 'custom:my-work small http://two:2/v1'];
  const text = await chainOf('compression', settings, env);
  assert.deepEqual(text.slice(2, 5), own);
  assert.match(text.slice(0, 2).join(), /^openrouter .*,nous /);
  assert.match(text[5] ?? '', /^openai-codex /);
  const pictures = await chainOf('vision', settings, env);
  assert.deepEqual(pictures.slice(-3), own);
  assert.match(pictures.at(-4) ?? '', /^anthropic /);
});

test("without an endpoint of one's own there is none in the chain, whatever other providers have for an address", async () => {
  const proxied = { provider: 'anthropic', base_url: 'https://proxy.test/anthropic', default: 'm' };
  for (const settings of [{}, proxied]) {
    const asked = await chainOf('compression', settings, { OPENAI_BASE_URL: 'http://localhost:9/v1' });
    assert.deepEqual(
      asked.filter((way) => way.startsWith('custom')),
      [],
    );
  }
});

test("each endpoint of one's own gets its own key, and never that of another", async () => {
  await using main = await startModelServer(fails(500));
  await using first = await startModelServer(fails(401));
  await using second = await startModelServer(fails(401));
  await using third = await startModelServer(answers('at last'));
  const settings: ModelSettings = {
    provider: 'custom',
    base_url: first.url,
    default: 'm',
    api_key: 'key-of-first',
    custom_providers: [{ name: 'work', base_url: third.url, model: 'w', api_key: 'key-of-work' }],
  };
  const env = { CUSTOM_BASE_URL: second.url, HERMES_INFERENCE_MODEL: 'x', OPENROUTER_API_KEY: '' };
  const { side, warnings } = await setUp(
    main,
    {},
    {
      env,
      own: settings,
      resolve: (request) =>
        request.provider === 'nous' ? Promise.reject(new Error('not logged in')) : resolveRoute(request, settings, env),
    },
  );
  assert.equal((await side.ask('compression', question, signal)).text, 'at last');
  const keys = [first, second, third].map((server) => server.lastRequest.headers.authorization);
  assert.deepEqual(keys, ['Bearer key-of-first', 'Bearer no-key-required', 'Bearer key-of-work']);
  assert.equal(warnings.at(-1), 'Auxiliary compression: continuing with w (custom:work).');
});

test('a whole run gets the same models in the same order, with what the task is configured with', async () => {
  await using main = await startModelServer(answers('main'));
  await using chained = await startModelServer(answers('chained'));
  const chain = [
    { provider: 'custom', model: 'c', base_url: chained.url },
    { provider: 'openrouter', model: 'x/y' },
  ];
  const task = { fallback_chain: chain, temperature: 0.2, extra_body: { seed: 7 }, timeout: 9 };
  const { side } = await setUp(main, task, { env: { DEEPSEEK_API_KEY: 'sk-deepseek-1' } });
  const { route, fallbacks, timeoutMs } = await side.ladder('compression', signal);
  assert.deepEqual(
    [route.model, route.temperature, route.extraBody, timeoutMs],
    ['main-model', 0.2, { seed: 7 }, 9000],
  );
  const opened: (string | undefined)[] = [];
  for (const open of fallbacks)
    opened.push(
      await open().then(
        (next) => next.model,
        () => undefined,
      ),
    );
  // OpenRouter has no key, and nobody is logged in to Nous, Codex and MiniMax.
  assert.deepEqual(opened, ['c', undefined, undefined, undefined, undefined, 'deepseek-chat']);
});

test('a run leaves a chosen model only when it is out of credit, and a provider that failed is not asked again', async () => {
  await using main = await startModelServer(answers('main'));
  const env = { DEEPSEEK_API_KEY: 'sk-deepseek-1' };
  const task = { provider: 'deepseek', model: 'v', fallback_chain: [{ provider: 'deepseek', model: 'w' }] };
  const { side } = await setUp(main, task, { env });
  const ladder = await side.ladder('compression', signal);
  assert.equal(ladder.route.model, 'v');
  assert.ok(ladder.movesOn(new ModelError('billing', 'no money')));
  assert.ok(!ladder.movesOn(new ModelError('rate_limit', 'Slow down')));
  const [same, last] = ladder.fallbacks;
  await assert.rejects(async () => await same?.(), /has just failed/);
  assert.equal((await last?.())?.model, 'main-model');
});
