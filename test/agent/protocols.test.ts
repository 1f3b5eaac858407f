/** The same conversation over all three wire formats, through a change of provider, and past providers that fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '../../src/agent/agent.ts';
import { repairHistory } from '../../src/agent/history.ts';
import type { ApiMode, ModelRoute } from '../../src/llm/protocol.ts';
import { openProtocol } from '../../src/llm/protocols/catalogue.ts';
import { startAnthropicServer } from '../fakes/anthropic-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import type { Answer, Fault } from '../fakes/model-steps.ts';
import { startResponsesServer } from '../fakes/responses-server.ts';
import { agentOn, collect, errorOf, testTool } from './support.ts';
import { keyOf } from '../llm/protocols/ask.ts';

interface Provider extends AsyncDisposable {
  readonly mode: ApiMode;
  readonly url: string;
  readonly violations: readonly string[];
  readonly requests: readonly { readonly body: object }[];
  enqueue(...steps: (Answer | Fault)[]): void;
}

const modes = ['chat_completions', 'codex_responses', 'anthropic_messages'] as const;

async function startProvider(mode: (typeof modes)[number], respond?: () => Answer | Fault): Promise<Provider> {
  const options = { strict: true, ...(respond === undefined ? {} : { respond }) };
  const server =
    mode === 'chat_completions'
      ? await startModelServer(options)
      : mode === 'codex_responses'
        ? await startResponsesServer(options)
        : await startAnthropicServer(options);
  return {
    mode,
    url: server.url,
    get violations() {
      return server.violations;
    },
    get requests() {
      return server.requests;
    },
    enqueue: (...steps) => server.enqueue(...steps),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** `patienceMs`: how long it waits for a server that says nothing; short only where one is meant to. */
async function routeOf({ mode, url }: Provider, model = 'claude-sonnet-4-5', patienceMs = 30_000): Promise<ModelRoute> {
  const endpoint = {
    provider: `on-${mode}`,
    baseUrl: url,
    authorizer: keyOf('sk-ant-api-test-key', mode),
    timeouts: { readMs: patienceMs, staleMs: patienceMs },
  };
  const protocol = await openProtocol(mode, endpoint);
  return { provider: endpoint.provider, model, baseUrl: url, apiMode: mode, protocol, streaming: true };
}

/** Ten steps: thoughts, one call, two side by side, a failing call, a picture in a result, text in other scripts. */
function script(): { readonly asked: string; readonly answers: readonly Answer[] }[] {
  return [
    { asked: 'Hello', answers: [{ reasoning: 'A greeting.', text: 'Hello! 你好 👋' }] },
    {
      asked: 'Look at a',
      answers: [
        { reasoning: 'I should look.', text: 'Looking.', toolCalls: [{ name: 'look', arguments: { at: 'a' } }] },
        { text: 'a is fine.' },
      ],
    },
    {
      asked: 'Look at b and c',
      answers: [
        {
          toolCalls: [
            { name: 'look', arguments: { at: 'b' } },
            { name: 'look', arguments: { at: 'c' } },
          ],
        },
        { text: 'Both are fine.' },
      ],
    },
    {
      asked: 'Now d',
      answers: [{ toolCalls: [{ name: 'look', arguments: { at: 'broken' } }] }, { text: 'It does not work.' }],
    },
    {
      asked: 'Show me the picture',
      answers: [{ toolCalls: [{ name: 'picture', arguments: {} }] }, { reasoning: 'A dot.', text: 'A dot.' }],
    },
    { asked: 'Thanks', answers: [{ text: 'You are welcome.' }] },
  ];
}

const dot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const tools = () => [
  testTool(
    'look',
    ({ at }) => {
      if (at === 'broken') throw new Error('no such thing');
      return `saw ${String(at)}`;
    },
    'safe',
  ),
  testTool('picture', () => 'a picture'),
];

async function talk(agent: Agent, turns: ReturnType<typeof script>): Promise<void> {
  for (const { asked, answers } of turns) {
    const { result } = await collect(agent.run(asked));
    assert.equal(errorOf(result), '');
    assert.equal(result.finalResponse, answers.at(-1)?.text);
  }
}

const stepsOf = (turns: ReturnType<typeof script>) => turns.flatMap(({ answers }) => answers);

test('ten steps pass over each of the three formats, and every request keeps the rules of its provider', async () => {
  for (const mode of modes) {
    await using provider = await startProvider(mode);
    const turns = script();
    assert.equal(stepsOf(turns).length, 10);
    provider.enqueue(...stepsOf(turns));
    const { agent } = agentOn(await startNothing(), {
      route: await routeOf(provider),
      tools: tools(),
      reasoningEffort: 'high',
    });
    await talk(agent, turns);
    assert.deepEqual(provider.violations, [], mode);
    assert.equal(provider.requests.length, 10);
    assert.equal(repairHistory(agent.history), agent.history);
  }
});

test('a conversation moves from any format to any other in the middle, with pictures and thoughts in its history', async () => {
  for (const from of modes) {
    for (const to of modes) {
      await using first = await startProvider(from);
      await using second = await startProvider(to);
      const turns = script();
      const [before, after] = [turns.slice(0, 3), turns.slice(3)];
      first.enqueue(...stepsOf(before), ...stepsOf(turns.slice(0, 2)));
      second.enqueue(...stepsOf(after));
      const { agent } = agentOn(await startNothing(), {
        route: await routeOf(first),
        tools: tools(),
        reasoningEffort: 'high',
      });
      await talk(agent, before);
      agent.replaceHistory([
        ...agent.history,
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: dot } },
          ],
        },
        { role: 'assistant', content: 'A dot.' },
      ]);
      agent.switchRoute(await routeOf(second));
      await talk(agent, after);
      assert.match(JSON.stringify(second.requests[0]?.body), /saw c/);
      agent.switchRoute(await routeOf(first));
      await talk(agent, turns.slice(0, 2));
      assert.deepEqual([...first.violations, ...second.violations], [], `${from} to ${to}`);
    }
  }
});

/** A server that must not be asked. */
let nothing: Awaited<ReturnType<typeof startModelServer>> | undefined;
async function startNothing() {
  nothing ??= await startModelServer();
  return nothing;
}
test.after(() => nothing?.close());

const failures: readonly Fault[] = [
  ...[401, 403, 404, 408, 429, 500, 502, 503, 529].map((status): Fault => ({ fault: 'status', status })),
  { fault: 'reset', text: '' },
  { fault: 'close_before' },
  { fault: 'hang' },
  { fault: 'hang_after', text: '' },
  { fault: 'html' },
  { fault: 'error_body' },
  { fault: 'garbage' },
];

test('whatever goes wrong with a provider of any format, the turn ends on the fallback, and the next one starts on the primary', async () => {
  await Promise.all(
    modes.flatMap((mode) =>
      failures.map(async (fault) => {
        await using primary = await startProvider(mode, () => fault);
        await using backup = await startProvider(
          mode === 'chat_completions' ? 'anthropic_messages' : 'chat_completions',
          () => ({ text: 'rescued' }),
        );
        const { agent } = agentOn(await startNothing(), {
          route: await routeOf(primary, undefined, fault.fault.startsWith('hang') ? 300 : undefined),
          fallbacks: [() => routeOf(backup)],
          tools: tools(),
          retries: 1,
        });
        const label = `${mode} ${JSON.stringify(fault)}`;
        const { events, result } = await collect(agent.run('go'));
        assert.equal(result.finalResponse, 'rescued', label);
        assert.equal(result.provider, (await routeOf(backup)).provider);
        assert.ok(
          events.some((event) => event.type === 'status' && event.kind === 'fallback'),
          label,
        );
        assert.doesNotMatch(JSON.stringify(events), /sk-ant-api-test-key/);
        const asked = primary.requests.length;
        await collect(agent.run('more'));
        assert.ok(primary.requests.length > asked, `${label}: the next turn did not begin on the primary`);
        assert.deepEqual([...primary.violations, ...backup.violations], [], label);
      }),
    ),
  );
});

test('of two fallbacks the second answers when the first fails too', async () => {
  await using primary = await startProvider('codex_responses', () => ({ fault: 'status', status: 503 }));
  await using first = await startProvider('anthropic_messages', () => ({ fault: 'status', status: 529 }));
  await using second = await startProvider('chat_completions', () => ({ text: 'rescued' }));
  const { agent } = agentOn(await startNothing(), {
    route: await routeOf(primary),
    fallbacks: [() => routeOf(first), () => routeOf(second)],
    retries: 0,
  });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'rescued');
});

test('an answer of nothing but reasoning is not the end of the turn', async () => {
  await using provider = await startProvider('codex_responses');
  provider.enqueue({ reasoning: 'Let me think about it.' }, { text: 'Done.' });
  const { agent } = agentOn(await startNothing(), { route: await routeOf(provider, 'gpt-5.4') });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'Done.');
  assert.equal(provider.requests.length, 2);
});

test('after a fallback from Responses, a strict chat server sees nothing of its own fields', async () => {
  await using primary = await startProvider('codex_responses');
  await using backup = await startProvider('chat_completions', () => ({ text: 'rescued' }));
  primary.enqueue(
    { reasoning: 'Look first.', toolCalls: [{ name: 'look', arguments: { at: 'a' } }] },
    { fault: 'status', status: 401 },
  );
  const { agent } = agentOn(await startNothing(), {
    route: await routeOf(primary, 'gpt-5.4'),
    fallbacks: [() => routeOf(backup)],
    tools: tools(),
  });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'rescued');
  assert.doesNotMatch(JSON.stringify(backup.requests[0]?.body), /codex_|"call_id"|response_item_id|encrypted/);
  assert.match(JSON.stringify(backup.requests[0]?.body), /tool_call_id/);
});
