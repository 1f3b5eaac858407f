/** The real litellm proxy in front of a model: one server, three wire formats. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { KeptRefusals } from '../../src/llm/endpoint.ts';
import type { ModelRequest } from '../../src/llm/protocol.ts';
import { openProtocol } from '../../src/llm/protocols/catalogue.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ask, keyOf } from '../llm/protocols/ask.ts';
import { formats, look } from './asked.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

const key = 'sk-0123456789abcdef0123456789abcdef';

test('litellm refuses the thinking of a model that is no Claude, which is left out from then on, in later processes too', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'It is a cat.' }) });
  const started = await startLitellm(t, model.url);
  if (typeof started === 'string') return t.skip(started);
  const refusals = keptInMemory();
  for (const _process of [1, 2]) {
    const protocol = await openProtocol('anthropic_messages', {
      provider: 'custom',
      baseUrl: started.url,
      authorizer: keyOf(key, 'anthropic_messages'),
      refusals,
    });
    // By its name it could think.
    const answer = await ask(protocol, { model: 'minimax-test', stream: false, reasoningEffort: 'medium' });
    assert.equal(answer.text, 'It is a cat.');
    assert.deepEqual(refusals.of('minimax-test'), ['thinking']);
  }
  assert.equal(model.requests.length, 2);
});

test('litellm serves text, a call and its result in each of its three formats', async (t) => {
  await using model = await startModelServer({
    respond: ({ body }) =>
      body.messages.some(({ role }) => role === 'tool')
        ? { text: 'It is a cat.' }
        : { text: 'I look.', toolCalls: [{ name: 'look', arguments: { at: 'door' } }] },
  });
  const started = await startLitellm(t, model.url);
  if (typeof started === 'string') return t.skip(started);
  const { url } = started;
  for (const [mode, path] of formats) {
    for (const stream of [true, false]) {
      await t.test(`${mode}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const protocol = await openProtocol(mode, {
          provider: 'custom',
          baseUrl: url + path,
          authorizer: keyOf(key, mode),
        });
        const asked: ModelRequest['messages'] = [{ role: 'user', content: 'What is at the door?' }];
        const request = { stream, tools: [look], reasoningEffort: 'medium' } as const;
        const first = await ask(protocol, { ...request, messages: asked });
        assert.equal(first.text, 'I look.');
        const [call] = first.done.message.tool_calls ?? [];
        assert.ok(call !== undefined, 'no call arrived');
        assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['look', { at: 'door' }]);
        assert.equal(first.done.stopReason, 'tool_calls');
        const second = await ask(protocol, {
          ...request,
          messages: [...asked, first.done.message, { role: 'tool', tool_call_id: call.id, content: 'a cat' }],
        });
        assert.equal(second.text, 'It is a cat.');
        assert.equal(second.done.stopReason, 'stop');
      });
    }
  }
});

/** The address of a proxy in front of the model server, or the reason why there is none here. */
async function startLitellm(t: TestContext, behindUrl: string): Promise<{ readonly url: string } | string> {
  const packages = await pythonPackages('litellm', ['litellm[proxy]==1.106.2']);
  if (typeof packages === 'string') return packages;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-litellm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'config.yaml');
  const behind = { model: 'openai/test-model', api_base: behindUrl, api_key: 'test-key' };
  const settings = { drop_params: false, telemetry: false, use_chat_completions_url_for_anthropic_messages: true };
  writeFileSync(
    config,
    JSON.stringify({
      model_list: ['test-model', 'minimax-test'].map((name) => ({
        model_name: name,
        litellm_params: { ...behind, use_chat_completions_api: true },
      })),
      litellm_settings: settings,
    }),
  );
  const url = await startServer(t, {
    command: packages.script('litellm'),
    args: (port) => ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
    env: { LITELLM_MASTER_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: 'True', HOME: folder, NO_PROXY: '127.0.0.1' },
    ready: '/health/liveliness',
  });
  return { url };
}

/** As the home keeps them. */
function keptInMemory(): KeptRefusals {
  const kept = new Map<string, readonly string[]>();
  return { of: (model) => kept.get(model) ?? [], keep: (model, refused) => void kept.set(model, refused) };
}
