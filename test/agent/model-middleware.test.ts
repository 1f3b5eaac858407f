/** Code of the owner around the requests to a model, over the real wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookPayload } from '../../src/agent/hooks.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { hooked, type Listen, nextOf, nothing } from './hooked.ts';
import { agentOn, call, collect, contentOf, countedTool, shownText } from './support.ts';

/** Asks the model, and answers with its text changed. */
const saying =
  (change: (text: string) => string): Listen =>
  async (payload) => {
    const answer = await answerOf(payload);
    const message = Object(answer['assistant_message']);
    return { ...answer, assistant_message: { ...message, content: change(String(message.content)) } };
  };

async function answerOf(payload: HookPayload): Promise<JsonObject> {
  const answer = await nextOf(payload)();
  assert.ok(isJsonObject(answer));
  return answer;
}

test('middleware around a request sees the answer, and may give another: shown, kept, and known as its own', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'hi', usage: { prompt_tokens: 7, completion_tokens: 2 } });
  const entered: unknown[] = [];
  const { hooks, at, warned } = hooked(
    [
      ['llm_request', ({ request }) => ({ request: { ...Object(request), temperature: 0.5 }, name: 'cooler' })],
      ['llm_execution', saying((text) => `<${text}>`)],
      ['llm_execution', saying((text) => `[${text}]`)],
      ['llm_execution', nothing],
      ['post_api_request', nothing],
    ],
    { entered: (sources) => void entered.push(...sources) },
  );
  const { agent, transcript } = agentOn(server, { hooks });
  const { events, result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, '<[hi]>');
  assert.equal(shownText(events), '<[hi]>');
  assert.equal(contentOf(transcript.messages.at(-1)), '<[hi]>');
  assert.deepEqual(entered, [{ from: 'program', name: 'hook 2' }]);
  assert.deepEqual(transcript.messages.at(-1)?.sources, [{ from: 'agent' }, entered[0]]);
  assert.equal(Object(at('post_api_request')[0]?.['assistant_message']).content, '<[hi]>');
  assert.equal(agent.tokens.total_tokens, 9);

  const [outer] = at('llm_execution');
  const place = 'task_id turn_id api_request_id session_id platform model provider base_url api_mode api_call_count';
  assert.deepEqual(
    Object.keys(outer ?? {}),
    `telemetry_schema_version middleware_schema_version request original_request ${place} middleware_trace next_call`.split(
      ' ',
    ),
  );
  assert.deepEqual(outer?.['middleware_trace'], [{ source: 'plugin', name: 'cooler' }]);
  assert.deepEqual(
    [Object(outer?.['request']).temperature, Object(outer?.['original_request']).temperature],
    [0.5, undefined],
  );
  assert.doesNotMatch(JSON.stringify(at('llm_execution')), /test-key/);
  assert.deepEqual(warned, []);
});

test('what a model says is shown as it comes, while middleware waits for the whole', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one two' });
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const { hooks } = hooked([
    [
      'llm_execution',
      async (payload) => {
        const answer = await nextOf(payload)();
        await seen;
        return answer;
      },
    ],
  ]);
  const { agent, transcript } = agentOn(server, { hooks });
  const { events, result } = await collect(agent.run('go'), (event) => event.type === 'text_delta' && resolve());
  assert.equal(result.finalResponse, 'one two');
  assert.equal(
    events.some(({ type }) => type === 'text_reset'),
    false,
  );
  assert.equal(transcript.messages.at(-1)?.sources, undefined);
});

test('a model is asked once, whatever middleware does', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'plain' }) });
  const answerWith = async (...around: Listen[]) => {
    const before = server.requests.length;
    const { hooks, warned } = hooked(around.map((listen) => ['llm_execution', listen] as const));
    const { result } = await collect(agentOn(server, { hooks }).agent.run('go'));
    return [result.finalResponse, server.requests.length - before, warned.length];
  };
  const twice: Listen = async (payload) => {
    const answer = await nextOf(payload)();
    await assert.rejects(nextOf(payload)(), /once/);
    return answer;
  };
  assert.deepEqual(await answerWith(twice), ['plain', 1, 0]);
  const broken: Listen = () => {
    throw new Error('before');
  };
  assert.deepEqual(
    await answerWith(
      broken,
      saying((text) => `${text}!`),
    ),
    ['plain!', 1, 1],
  );
  const brokenLater: Listen = async (payload) => {
    await nextOf(payload)();
    throw new Error('after');
  };
  assert.deepEqual(await answerWith(brokenLater), ['plain', 1, 1]);
  const other: Listen = async (payload) => await nextOf(payload)({ ...Object(payload['request']), model: 'dearer' });
  assert.deepEqual(await answerWith(other), ['plain', 1, 1]);
  assert.deepEqual(await answerWith(async (payload) => await nextOf(payload)(payload['request'])), ['plain', 1, 0]);
  for (const nonsense of ['text', { assistant_message: {} }, { assistant_message: { tool_calls: 'x' } }]) {
    assert.deepEqual(await answerWith(() => nonsense), ['plain', 1, 1]);
  }
  const own = { assistant_message: { content: 'cached' } };
  assert.deepEqual(await answerWith(() => own), ['cached', 0, 0]);
});

test('calls that middleware gives are those of the model, and as much asked about as any', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ text: 'thinking about it' }, { text: 'done' });
  const give = { assistant_message: { content: null, tool_calls: [{ function: call('echo', '{"a":1}') }] } };
  let isFirst = true;
  const { hooks } = hooked([
    [
      'llm_execution',
      async (payload) => {
        await nextOf(payload)();
        if (!isFirst) return undefined;
        isFirst = false;
        return give;
      },
    ],
  ]);
  const echo = countedTool('echo');
  const asked: string[] = [];
  const policy = {
    decide: async ({ tool }: { readonly tool: string }) => {
      asked.push(tool);
      return { kind: 'allow' as const, staged: false };
    },
  };
  const { agent, transcript } = agentOn(server, { hooks, tools: [echo], policy });
  const { events, result } = await collect(agent.run('go'));
  assert.deepEqual([echo.ran(), asked, result.finalResponse], [1, ['echo'], 'done']);
  assert.equal(shownText(events), 'done');
  assert.deepEqual(transcript.messages[1]?.sources, [{ from: 'agent' }, { from: 'program', name: 'hook 1' }]);
  assert.deepEqual(server.violations, []);
});

test('what goes wrong at the provider goes through middleware as it is, and is tried again', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 429, headers: { 'retry-after': '1' } }, { text: 'ok' });
  const heard: unknown[] = [];
  const { hooks, at } = hooked([
    [
      'llm_execution',
      async (payload) => {
        try {
          return await nextOf(payload)();
        } catch (error) {
          heard.push(error);
          throw new Error('mine', { cause: error });
        }
      },
    ],
    ['api_request_error', nothing],
  ]);
  const { agent } = agentOn(server, { hooks });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'ok');
  assert.equal(heard.length, 1);
  assert.equal(at('api_request_error')[0]?.['reason'], 'rate_limit');
  assert.equal(at('llm_execution').length, 2);
});

test('an interrupt waits for no middleware, before the model is asked or after', async () => {
  await using server = await startModelServer();
  const forever = new Promise(() => undefined);
  const before = hooked([
    [
      'llm_execution',
      async () => {
        first.agent.interrupt();
        await forever;
      },
    ],
  ]);
  const first = agentOn(server, { hooks: before.hooks });
  const { result } = await collect(first.agent.run('go'));
  assert.deepEqual([result.ended, server.requests.length], ['interrupted', 0]);

  server.enqueue({ text: 'whole' });
  const after = hooked([
    [
      'llm_execution',
      async (payload) => {
        await nextOf(payload)();
        second.agent.interrupt();
        await forever;
      },
    ],
  ]);
  const second = agentOn(server, { hooks: after.hooks });
  await collect(second.agent.run('go'));
  assert.equal(contentOf(second.transcript.messages.at(-1)), 'whole');
});

test('middleware that never asks the model is left out in time', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'ok' });
  const { hooks, warned } = hooked([['llm_execution', () => new Promise(() => undefined)]], {}, 20);
  const { result } = await collect(agentOn(server, { hooks }).agent.run('go'));
  assert.equal(result.finalResponse, 'ok');
  assert.match(warned.join('\n'), /hook 1 failed on llm_execution: no answer within/);
});
