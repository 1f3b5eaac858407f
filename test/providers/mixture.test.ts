/** Mixtures: several models are asked, and another writes the answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../src/llm/message.ts';
import { type MixtureRecord, openMixture } from '../../src/models/mixture/mixture.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ask, askInVain, requestOf } from '../llm/protocols/ask.ts';
import { allKeys, resolveRoute } from './sources.ts';

test('a mixture asks its references with words only, survives one that fails, and shows their views to the aggregator', async () => {
  await using good = await startModelServer({ respond: () => ({ text: 'I would use a heap.' }) });
  await using bad = await startModelServer({ respond: () => ({ fault: 'status', status: 400 }) });
  await using aggregator = await startModelServer({ respond: () => ({ text: 'Use a heap.' }), strict: true });
  const urls: Record<string, string> = { good: good.url, bad: bad.url, boss: aggregator.url };
  const resolve = ({ model = '' }: { model?: string }) =>
    resolveRoute({ provider: 'custom', baseUrl: urls[model] ?? '', model }, {}, {});
  const preset = {
    enabled: true,
    reference_models: [
      { provider: 'custom', model: 'good' },
      { provider: 'custom', model: 'bad' },
    ],
    aggregator: { provider: 'custom', model: 'boss' },
    reference_temperature: 0.6,
    aggregator_temperature: 0.4,
    max_tokens: 500,
  };
  const mixture = await openMixture('team', { default_preset: 'team', presets: { team: preset } }, { resolve });
  const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }];
  const messages = [
    { role: 'system' as const, content: 'SECRET SYSTEM' },
    { role: 'user' as const, content: 'Which structure?' },
  ];
  const { done, events } = await ask(mixture, { messages, tools });
  assert.equal(done.message.content, 'Use a heap.');
  const asked = good.lastRequest.body;
  assert.deepEqual(asked.messages, [{ role: 'user', content: 'Which structure?' }]);
  assert.ok(!('tools' in asked));
  assert.equal(asked['temperature'], 0.6);
  const shown = JSON.stringify(aggregator.lastRequest.body.messages);
  assert.match(shown, /SECRET SYSTEM/);
  assert.match(shown, /I would use a heap\./);
  assert.match(shown, /bad[\s\S]*failed/);
  assert.equal(aggregator.lastRequest.body.tools?.length, 1);
  assert.deepEqual(aggregator.violations, []);
  // What each model took is told under its own name; one that failed took nothing.
  const spent = events.flatMap((event) => (event.type === 'spent' ? [[event.on.model, event.usage.input]] : []));
  assert.deepEqual(spent, [['good', 10]]);
  assert.deepEqual([done.answeredBy?.model, done.usage?.input], ['boss', 10]);
  const alone = { ...preset, enabled: false };
  const single = await openMixture('team', { default_preset: '', presets: { team: alone } }, { resolve });
  await ask(single, requestOf({ messages }));
  assert.equal(good.requests.length, 1);
  const nested = { ...preset, aggregator: { provider: 'moa', model: 'x' } };
  await assert.rejects(
    openMixture('n', { default_preset: '', presets: { n: nested } }, { resolve }),
    /names another mixture/,
  );
  const unnamed = { reference_models: preset.reference_models, aggregator: preset.aggregator, max_tokens: 500 };
  const team = { enabled: true, ...unnamed };
  // A preset that says nothing of temperatures leaves them to the models, and is the default when it is the only one.
  await ask(await openMixture('', { default_preset: 'default', presets: { team } }, { resolve }), { messages });
  assert.ok(!('temperature' in good.lastRequest.body) && !('temperature' in aggregator.lastRequest.body));
  await assert.rejects(openMixture('gone', { default_preset: '', presets: {} }, { resolve }), /no mixture .*'gone'/);
});

test('a home that names the default mixture without describing it gets the one of the original', async () => {
  const opened: string[] = [];
  const resolve = async ({ provider, model = '' }: { readonly provider: string; readonly model?: string }) => {
    opened.push(`${provider} ${model}`);
    return await resolveRoute({ provider, model }, {}, allKeys);
  };
  await openMixture('default', { default_preset: 'default', presets: {} }, { resolve });
  assert.deepEqual(opened, ['openrouter anthropic/claude-opus-4.8']);
});

test('models of a mixture take what an entry leaves out from auxiliary.moa_reference and moa_aggregator, and may be traced', async () => {
  await using views = await startModelServer({ respond: () => ({ text: '<think>hm</think>A heap.' }) });
  await using boss = await startModelServer({ respond: () => ({ text: 'Use a heap.' }) });
  const slot = { provider: 'auto', model: '', api_key: 'a-key-of-a-test', timeout: 60 };
  const records: MixtureRecord[] = [];
  const entry = { provider: '', model: '' };
  const preset = {
    enabled: true,
    reference_models: [{ ...entry, model: 'openai/o3', reasoning_effort: 'low' as const }],
    aggregator: entry,
    reference_temperature: 0.6,
    aggregator_temperature: 0.4,
    max_tokens: 500,
  };
  const mixture = await openMixture(
    'team',
    { default_preset: '', presets: { team: preset } },
    {
      resolve: (model) => resolveRoute({ ...model, provider: 'openrouter' }, {}, {}),
      reference: { ...slot, base_url: views.url, extra_body: { seed: 1 } },
      aggregator: { ...slot, base_url: boss.url, model: 'openai/o3-pro', extra_body: { seed: 2 } },
      effortFor: (model) => (model === 'openai/o3-pro' ? 'high' : undefined),
      trace: (record) => void records.push(record),
    },
  );
  await ask(mixture, { messages: [{ role: 'user', content: 'Which structure?' }], sessionId: 's' });
  const [asked, answered] = [views.lastRequest.body, boss.lastRequest.body];
  assert.deepEqual(
    [asked['model'], asked['seed'], asked['reasoning']],
    ['openai/o3', 1, { enabled: true, effort: 'low' }],
  );
  assert.deepEqual(
    [answered['model'], answered['seed'], answered['reasoning']],
    ['openai/o3-pro', 2, { enabled: true, effort: 'high' }],
  );
  const [record] = records;
  assert.deepEqual([record?.session_id, record?.preset, records.length], ['s', 'team', 1]);
  assert.deepEqual(
    record?.references.map(({ label, output }) => [label, output]),
    [['openrouter:openai/o3', 'A heap.']],
  );
  assert.equal(record?.aggregator.output, 'Use a heap.');
  assert.match(JSON.stringify(record?.aggregator.input_messages), /A heap\./);
  const open = openMixture(
    'team',
    { default_preset: '', presets: { team: preset } },
    { resolve: () => assert.fail('nothing is asked') },
  );
  await assert.rejects(open, /'team' names no provider/);
});

test('a reference that takes too long is passed over, and an aggregator that does not begin ends the request', async () => {
  await using silent = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  await using boss = await startModelServer({ respond: () => ({ text: 'Use a heap.' }) });
  const slot = { provider: 'auto', model: 'm', api_key: '' };
  const preset = {
    enabled: true,
    reference_models: [{ provider: '', model: '' }],
    aggregator: { provider: '', model: '' },
    reference_temperature: 0.6,
    aggregator_temperature: 0.4,
    max_tokens: 500,
  };
  const mixed = (reference: string, aggregator: string) =>
    openMixture(
      'team',
      { default_preset: '', presets: { team: preset } },
      {
        resolve: (model) => resolveRoute(model, {}, {}),
        reference: { ...slot, base_url: reference, timeout: 0.1 },
        aggregator: { ...slot, base_url: aggregator, timeout: aggregator === boss.url ? 60 : 0.1 },
      },
    );
  await ask(await mixed(silent.url, boss.url), { messages: [{ role: 'user', content: 'Which?' }] });
  assert.match(JSON.stringify(boss.lastRequest.body.messages), /no answer within 0\.1 s/);
  const late = ask(await mixed(boss.url, silent.url), { messages: [{ role: 'user', content: 'Which?' }] });
  await assert.rejects(late, /did not begin to answer within 0\.1 s/);
});

/** A mixture of one reference and an aggregator, each a server of its own. */
async function mixtureOf(urls: { readonly view: string; readonly boss: string }, more: object = {}) {
  const member = (model: string) => ({ provider: 'custom', model });
  const preset = {
    enabled: true,
    reference_models: [member('view')],
    aggregator: member('boss'),
    max_tokens: 500,
    ...more,
  };
  return await openMixture(
    'team',
    { default_preset: 'team', presets: { team: preset } },
    {
      resolve: ({ model = '' }) =>
        resolveRoute(
          { provider: 'custom', baseUrl: model === 'view' ? urls.view : urls.boss, model },
          { context_length: 50_000 },
          {},
        ),
    },
  );
}

const question = { role: 'user' as const, content: 'Which structure?' };
const call = (content: string) => ({
  role: 'assistant' as const,
  content,
  tool_calls: [{ id: 'c1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }],
});
const seen = { role: 'tool' as const, tool_call_id: 'c1', content: 'a list' };

test('views hold while only tools answer: they are asked and paid for once, and stand where they stood', async () => {
  await using view = await startModelServer({ respond: () => ({ text: 'A heap.' }) });
  await using boss = await startModelServer({ respond: () => ({ text: 'Use a heap.' }) });
  const mixture = await mixtureOf({ view: view.url, boss: boss.url });
  assert.equal(mixture.contextLength, 50_000, 'the window is that of the model that answers');
  const spent = async (messages: readonly Message[]): Promise<number> =>
    (await ask(mixture, { messages: [...messages], sessionId: 's' })).events.filter(({ type }) => type === 'spent')
      .length;
  assert.equal(await spent([question]), 1);
  const first = boss.lastRequest.body.messages;
  assert.equal(await spent([question, call(''), seen]), 0);
  assert.equal(view.requests.length, 1);
  assert.deepEqual(
    boss.lastRequest.body.messages.slice(0, 1),
    first,
    'the prefix that a provider keeps stays as it was',
  );
  assert.equal(boss.lastRequest.body.messages.at(-1)?.role, 'tool');
  assert.equal(await spent([question, call('I look at the list first.'), seen]), 1, 'who says something is heard');
  assert.match(JSON.stringify(view.lastRequest.body.messages), /I look at the list first/);
  assert.equal(await spent([{ ...question, content: 'And now?' }]), 1);
});

test('with fanout user_turn the references are asked once for each message of the user, and may be kept short', async () => {
  await using view = await startModelServer({ respond: () => ({ text: 'A heap.' }) });
  await using boss = await startModelServer({ respond: () => ({ text: 'Use a heap.' }) });
  const more = { fanout: 'user_turn', reference_max_tokens: 60 };
  const mixture = await mixtureOf({ view: view.url, boss: boss.url }, more);
  await ask(mixture, { messages: [question] });
  await ask(mixture, { messages: [question, call('I look at the list first.'), seen] });
  assert.equal(view.requests.length, 1);
  assert.equal(view.lastRequest.body['max_tokens'], 60);
  assert.match(JSON.stringify(boss.lastRequest.body.messages[0]), /Which structure[^]*A heap\./);
  await ask(mixture, { messages: [question, call(''), seen, { role: 'user', content: 'Sure?' }] });
  assert.equal(view.requests.length, 2);
});

test('views that an interrupt cut off do not hold', async () => {
  let hangs = true;
  await using view = await startModelServer({ respond: () => (hangs ? { fault: 'hang' } : { text: 'A heap.' }) });
  await using boss = await startModelServer({ respond: () => ({ text: 'Use a heap.' }) });
  const mixture = await mixtureOf({ view: view.url, boss: boss.url });
  const stop = new AbortController();
  const cut = askInVain(mixture, { messages: [question] }, stop.signal);
  while (view.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  assert.equal((await cut).error.kind, 'aborted');
  hangs = false;
  await ask(mixture, { messages: [question] });
  assert.match(JSON.stringify(boss.lastRequest.body.messages), /A heap\./);
});
