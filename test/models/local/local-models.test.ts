import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { LocalModels } from '../../../src/models/local/local-models.ts';
import { resolveRoute } from '../../providers/sources.ts';
import { ask, clock, doneIn } from './ask-local.ts';
import { OutOfMemory, says, type Script, type StandIn, standIn, talksOn } from './stand-in.ts';
import { end, writeTinyModel } from './tiny-gguf.ts';

/** A variable, so that nobody takes it for a dependency. */
const packageName: string = 'node-llama-cpp';

interface Place {
  readonly home: string;
  readonly models: LocalModels;
  readonly fake: StandIn;
}

interface Over {
  readonly loadFails?: () => Error;
  readonly idleMs?: number;
  /** Bytes; the stand-in wants 1000 for each token of its window. */
  readonly memory?: number;
}

function place(t: TestContext, scripts: readonly Script[], over: Over = {}): Place {
  const home = mkdtempSync(join(tmpdir(), 'hermes-local-'));
  mkdirSync(join(home, 'models'));
  writeTinyModel(join(home, 'models', 'tiny.gguf'), { chains: [['\n', 'Hello', end]], contextLength: 4096 });
  const fake = standIn(scripts, over);
  const idle = over.idleMs === undefined ? {} : { idleMs: over.idleMs };
  const memory = over.memory ?? 1_000_000_000;
  const models = new LocalModels({
    home,
    userDirectory: home,
    binding: fake.binding,
    availableMemory: () => memory,
    ...idle,
  });
  t.after(async () => {
    await models.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { home, models, fake };
}

/** `large.gguf`, whose size is a hole in the file that takes no room on the disk. */
function writeLargeModel(home: string): void {
  const path = join(home, 'models', 'large.gguf');
  writeTinyModel(path, { chains: [['\n', 'Hello', end]], contextLength: 4096 });
  truncateSync(path, 4_000_000_000);
}

test('a model is found by its name, with or without its ending, by its path and below ~', async (t) => {
  const { home, models } = place(t, [says('x')]);
  for (const name of ['tiny', 'tiny.gguf', join(home, 'models', 'tiny.gguf'), '~/models/tiny.gguf']) {
    assert.equal((await models.open(name, undefined)).contextLength, 4096);
  }
});

test('a small model is drawn from with care, and an answer takes a quarter of the window at most', async (t) => {
  const { home, models, fake } = place(t, [says('x')]);
  const asked = async (name: string, over = {}): Promise<readonly unknown[]> => {
    await ask(await models.open(name, undefined), over);
    const { temperature, maxTokens } = fake.options.at(-1) ?? {};
    return [temperature, maxTokens];
  };
  assert.deepEqual(await asked('tiny'), [0.2, 8192]);
  assert.deepEqual(await asked('tiny', { temperature: 1, maxTokens: 20_000 }), [1, 20_000]);
  writeLargeModel(home);
  assert.deepEqual(await asked('large'), [0.7, 8192]);
});

test('a small model that says the same again and again is stopped; a large one is believed', async (t) => {
  const line = 'A tapestry of light and shadow, ';
  const { home, models } = place(t, [says('So be it. ', ...Array<string>(100).fill(line))]);
  const said = async (name: string): Promise<string> => {
    const done = doneIn(await ask(await models.open(name, undefined)));
    assert.equal(done.stopReason, 'stop');
    return String(done.message.content);
  };
  assert.match(await said('tiny'), /^So be it\. (?:A tapestry of light and shadow, ){12,24}$/);
  writeLargeModel(home);
  assert.equal((await said('large')).length, 3210);
});

test('what cannot be run is refused with what to do instead', async (t) => {
  const { home, models } = place(t, [says('x')]);
  writeFileSync(join(home, 'models', 'page.gguf'), '<html>');
  await assert.rejects(models.open('page', undefined), /page\.gguf is not a GGUF model file/);
  await assert.rejects(models.open('other', undefined), /no model file other.*page\.gguf, tiny\.gguf/);
  await assert.rejects(models.open('', undefined), /No model file is set/);
  await assert.rejects(models.open(join(home, 'models'), undefined), /is not a file/);
});

test('without the binding, the command that installs it is named', async (t) => {
  const { home } = place(t, [says('x')]);
  const models = new LocalModels({ home, userDirectory: home });
  let installed = true;
  try {
    import.meta.resolve(packageName);
  } catch {
    installed = false;
  }
  if (installed) t.skip('the binding is installed here');
  else {
    await assert.rejects(models.open('tiny', undefined), {
      name: 'UserError',
      message: /needs the package node-llama-cpp/,
      hint: /^Install it: `npm install --no-save --prefix .* node-llama-cpp`/,
    });
  }
});

test('the model is loaded with the first question only, and once for all who use it', async (t) => {
  const { models, fake } = place(t, [says('Hel', 'lo')]);
  const first = await models.open('tiny', undefined);
  const second = await models.open('tiny.gguf', undefined);
  assert.deepEqual(fake.log, []);
  const [events] = await Promise.all([ask(first), ask(second)]);
  assert.deepEqual(fake.log, ['load tiny.gguf', 'context any to 32768', 'ask', 'free', 'ask', 'free']);
  assert.equal(doneIn(events).message.content, 'Hello');
  assert.equal(doneIn(events).stopReason, 'stop');
});

test('a configured context must fit, and memory that does not suffice is said', async (t) => {
  const { models, fake } = place(t, [says('x')], { loadFails: () => new OutOfMemory('no') });
  const model = await models.open('tiny', 65_536);
  assert.equal(model.contextLength, 65_536);
  await assert.rejects(ask(model), { kind: 'bad_request', message: /not enough memory.*65536 tokens.*context_length/ });
  assert.deepEqual(fake.log, ['load tiny.gguf']);
});

test('a window that was not asked for is as large as the memory allows, one that was asked for must fit', async (t) => {
  const { models, fake } = place(t, [says('x')], { memory: 10_000_000 });
  await ask(await models.open('tiny', undefined));
  assert.equal(fake.log[1], 'context any to 8192');
  await assert.rejects(ask(await models.open('tiny', 16_384)), { kind: 'bad_request', message: /not enough memory/ });
  assert.deepEqual(fake.log.slice(-2), ['load tiny.gguf', 'unload']);
});

test('a file that the binding cannot load fails the question, and the next one tries again', async (t) => {
  const { models, fake } = place(t, [says('x')], { loadFails: () => new Error('tensor data is missing') });
  const model = await models.open('tiny', undefined);
  await assert.rejects(ask(model), { name: 'ModelError', kind: 'bad_request', message: /tensor data is missing/ });
  await assert.rejects(ask(model), { kind: 'bad_request' });
  assert.deepEqual(fake.log, ['load tiny.gguf', 'load tiny.gguf']);
});

test('thinking is told apart from text, whether the binding knows it or the model writes tags', async (t) => {
  const known: Script = async ({ onResponseChunk }) => {
    onResponseChunk({ segmentType: 'thought', text: 'Hm.', tokens: [1, 2] });
    onResponseChunk({ segmentType: undefined, text: 'Yes', tokens: [3] });
    return { metadata: { stopReason: 'eogToken' } };
  };
  const { models } = place(t, [known, says('<think>Hm.</', 'think>Yes')]);
  const model = await models.open('tiny', undefined);
  for (const reasoningTokens of [2, 0]) {
    const events = await ask(model);
    assert.equal(events.flatMap((event) => (event.type === 'reasoning' ? [event.text] : [])).join(''), 'Hm.');
    assert.equal(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join(''), 'Yes');
    assert.equal(doneIn(events).message.reasoning, 'Hm.');
    assert.deepEqual(doneIn(events).usage, {
      input: 10,
      output: 3,
      cacheRead: 27,
      cacheWrite: 0,
      reasoning: reasoningTokens,
    });
  }
});

test('several calls of one answer come whole, without the parameters that were left out', async (t) => {
  const calls: Script = async ({ onFunctionCallParamsChunk }) => {
    onFunctionCallParamsChunk?.({ callIndex: 0, functionName: 'clock' });
    onFunctionCallParamsChunk?.({ callIndex: 0, functionName: 'clock' });
    onFunctionCallParamsChunk?.({ callIndex: 1, functionName: 'clock' });
    return {
      functionCalls: [
        { functionName: 'clock', params: { zone: 'Paris', exact: null } },
        { functionName: 'clock', params: { zone: 'Oslo', exact: true } },
      ],
      metadata: { stopReason: 'functionCalls' },
    };
  };
  const { models, fake } = place(t, [calls]);
  const events = await ask(await models.open('tiny', undefined), { tools: [clock] });
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'tool_call_started' ? [event.index] : [])),
    [0, 1],
  );
  const { message, stopReason } = doneIn(events);
  assert.equal(stopReason, 'tool_calls');
  assert.deepEqual(
    message.tool_calls?.map((call) => call.function.arguments),
    ['{"zone":"Paris"}', '{"zone":"Oslo","exact":true}'],
  );
  assert.equal(new Set(message.tool_calls?.map(({ id }) => id)).size, 2);
  assert.deepEqual(Object.keys(fake.options[0]?.functions ?? {}), ['clock']);
});

test('an abort is answered at once, even while the model needs longer to stop, and the next question waits for it', async (t) => {
  const stopped = Promise.withResolvers<void>();
  const { models, fake } = place(t, [talksOn(stopped.promise), says('next')]);
  const model = await models.open('tiny', undefined);
  const control = new AbortController();
  const interrupted = (async () => {
    for await (const event of model.stream({ model: 'tiny', stream: true, tools: [], messages: [] }, control.signal)) {
      if (event.type === 'text') control.abort();
    }
  })();
  await assert.rejects(interrupted, { name: 'ModelError', kind: 'aborted' });
  const next = ask(model);
  assert.equal(fake.log.includes('free'), false);
  stopped.resolve();
  assert.equal(doneIn(await next).message.content, 'next');
  assert.deepEqual(fake.log.slice(-4), ['ask', 'free', 'ask', 'free']);
});

test('whoever stops listening stops the model', async (t) => {
  const { models, fake } = place(t, [talksOn(), says('next')]);
  const model = await models.open('tiny', undefined);
  for await (const event of model.stream(
    { model: 'tiny', stream: true, tools: [], messages: [] },
    new AbortController().signal,
  )) {
    if (event.type === 'text') break;
  }
  assert.equal(doneIn(await ask(model)).message.content, 'next');
  assert.deepEqual(fake.log.slice(-4), ['ask', 'free', 'ask', 'free']);
});

test('a conversation that does not fit is an overflow; an answer that fills the window is one that was cut', async (t) => {
  const tooLong: Script = async ({ contextShift, signal }) => {
    contextShift.strategy();
    throw signal.reason;
  };
  const cut: Script = async (options, history) => {
    await says('half an')(options, history);
    return await tooLong(options, history);
  };
  const { models } = place(t, [tooLong, cut]);
  const model = await models.open('tiny', undefined);
  await assert.rejects(ask(model), { kind: 'context_overflow', message: /context window of 32768 tokens/ });
  const { message, stopReason } = doneIn(await ask(model));
  assert.equal(stopReason, 'length');
  assert.equal(message.content, 'half an');
});

test('a model that nobody uses any more gives its memory back, and is loaded again when it is needed', async (t) => {
  const { models, fake } = place(t, [says('x')], { idleMs: 1 });
  const model = await models.open('tiny', undefined);
  await ask(model);
  const keepsTestAlive = setInterval(() => undefined, 5);
  while (!fake.log.includes('unload')) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(keepsTestAlive);
  await ask(model);
  assert.equal(fake.log.filter((line) => line === 'load tiny.gguf').length, 2);
});

test('closing stops what is under way and frees everything', async (t) => {
  const { models, fake } = place(t, [talksOn()]);
  const model = await models.open('tiny', undefined);
  const answer = assert.rejects(ask(model), { kind: 'aborted' });
  while (!fake.log.includes('ask')) await new Promise((resolve) => setImmediate(resolve));
  await models.close();
  await answer;
  assert.deepEqual(fake.log.slice(-3), ['free', 'unload', 'dispose']);
});

test('a server that somebody saved as "local" is still the one that is meant', async () => {
  const settings = {
    provider: 'local',
    default: 'qwen',
    custom_providers: [{ name: 'local', base_url: 'http://127.0.0.1:8080/v1' }],
  };
  const route = await resolveRoute({}, settings, {});
  assert.deepEqual([route.provider, route.baseUrl], ['custom:local', 'http://127.0.0.1:8080/v1']);
});

test('a route to a local model knows its window, and that it cannot see', async (t) => {
  const { models } = place(t, [says('x')]);
  const services = {
    openVirtual: async (_provider: string, model: string, contextLength: number | undefined) =>
      await models.open(model, contextLength),
  };
  const settings = { provider: 'local', default: 'tiny' };
  const route = await resolveRoute({}, settings, {}, services);
  assert.equal(route.provider, 'local');
  assert.equal(route.contextLength, 4096);
  assert.equal(route.vision, false);
  const own = await resolveRoute({}, { ...settings, context_length: 2048 }, {}, services);
  assert.equal(own.contextLength, 2048);
});
