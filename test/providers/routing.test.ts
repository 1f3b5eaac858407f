/** Providers of the table: where their requests go, in which format, and with which key. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelVariables } from '../../src/config/model-variables.ts';
import type { CredentialPool } from '../../src/credentials/credential.ts';
import { UserError } from '../../src/lib/errors.ts';
import type { ModelSettings } from '../../src/providers/model-settings.ts';
import { openRouterBody, openRouterCacheHeaders } from '../../src/providers/openrouter-options.ts';
import { probeAddress } from '../../src/providers/probe-address.ts';
import type { ModelRoute } from '../../src/llm/protocol.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { zai } from '../../src/providers/profiles/zai.ts';
import type { RouteRequest } from '../../src/providers/resolve.ts';
import { startAnthropicServer } from '../fakes/anthropic-server.ts';
import { startResponsesServer } from '../fakes/responses-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ask } from '../llm/protocols/ask.ts';
import { allKeys, resolveRoute } from './sources.ts';

type Env = Record<string, string>;

const where = ({ provider, model, baseUrl, apiMode }: ModelRoute) => [provider, model, baseUrl, apiMode];

test('every provider of the table has a route of its own', async () => {
  const expected: Record<string, readonly [baseUrl: string, apiMode: string]> = {
    openrouter: ['https://openrouter.ai/api/v1', 'chat_completions'],
    'openai-api': ['https://api.openai.com/v1', 'codex_responses'],
    anthropic: ['https://api.anthropic.com', 'anthropic_messages'],
    copilot: ['https://api.githubcopilot.com', 'codex_responses'],
    gemini: ['https://generativelanguage.googleapis.com/v1beta', 'gemini_generate'],
    'kimi-coding': ['https://api.moonshot.ai/v1', 'chat_completions'],
    'kimi-coding-cn': ['https://api.moonshot.cn/v1', 'chat_completions'],
    minimax: ['https://api.minimax.io/anthropic', 'anthropic_messages'],
    'minimax-cn': ['https://api.minimaxi.com/anthropic', 'anthropic_messages'],
    xai: ['https://api.x.ai/v1', 'codex_responses'],
    deepseek: ['https://api.deepseek.com/v1', 'chat_completions'],
    alibaba: ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'chat_completions'],
    'alibaba-coding-plan': ['https://coding-intl.dashscope.aliyuncs.com/v1', 'chat_completions'],
    huggingface: ['https://router.huggingface.co/v1', 'chat_completions'],
    novita: ['https://api.novita.ai/openai/v1', 'chat_completions'],
    nvidia: ['https://integrate.api.nvidia.com/v1', 'chat_completions'],
    arcee: ['https://api.arcee.ai/api/v1', 'chat_completions'],
    gmi: ['https://api.gmi-serving.com/v1', 'chat_completions'],
    stepfun: ['https://api.stepfun.ai/step_plan/v1', 'chat_completions'],
    xiaomi: ['https://api.xiaomimimo.com/v1', 'chat_completions'],
    'tencent-tokenhub': ['https://tokenhub.tencentmaas.com/v1', 'chat_completions'],
    kilocode: ['https://api.kilo.ai/api/gateway', 'chat_completions'],
    'opencode-zen': ['https://opencode.ai/zen/v1', 'anthropic_messages'],
    'opencode-go': ['https://opencode.ai/zen/go/v1', 'chat_completions'],
    'ai-gateway': ['https://ai-gateway.vercel.sh/v1', 'chat_completions'],
    'ollama-cloud': ['https://ollama.com/v1', 'chat_completions'],
    bedrock: ['https://bedrock-runtime.us-east-1.amazonaws.com', 'bedrock_converse'],
  };
  for (const [provider, [baseUrl, apiMode]] of Object.entries(expected)) {
    const route = await resolveRoute({ provider }, {}, allKeys);
    assert.deepEqual([route.provider, route.baseUrl, route.apiMode], [provider, baseUrl, apiMode], provider);
    assert.ok(route.model !== '', provider);
  }
});

test('ids and aliases are there once each', () => {
  const names = providerCatalogue.flatMap(({ id, aliases }) => [id, ...aliases]);
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
  assert.ok(names.every((name) => name === name.toLowerCase()));
});

test('grok is an alias of xai and speaks Responses; an unknown provider is an error', async () => {
  const route = await resolveRoute({ provider: 'grok' }, {}, allKeys);
  assert.deepEqual([route.baseUrl, route.apiMode], ['https://api.x.ai/v1', 'codex_responses']);
  await assert.rejects(resolveRoute({ provider: 'nosuch' }, {}, allKeys), /Unknown provider/);
  await using server = await startResponsesServer({ respond: () => ({ text: 'ok' }) });
  const at = { XAI_API_KEY: 'xai-0123456789', XAI_BASE_URL: server.url };
  await ask((await resolveRoute({ provider: 'grok' }, {}, at)).protocol, { model: 'grok-4' });
  assert.match(server.lastRequest.path, /\/responses$/);
  assert.equal(server.lastRequest.headers['authorization'], 'Bearer xai-0123456789');
});

test('the address tells the format where nothing else does', async () => {
  const mode = async (base_url: string, model = 'm', api_mode?: string) =>
    (await resolveRoute({}, { base_url, default: model, api_key: 'key-1', api_mode }, {})).apiMode;
  assert.equal(await mode('https://proxy.test/anthropic'), 'anthropic_messages');
  assert.equal(await mode('https://proxy.test/anthropic/v1/'), 'anthropic_messages');
  assert.equal(await mode('https://proxy.test/anthropic', 'm', 'chat_completions'), 'chat_completions');
  assert.equal(await mode('https://proxy.test/v1', 'm', 'codex_responses'), 'codex_responses');
  assert.equal(await mode('https://api.openai.com/v1'), 'codex_responses');
  assert.equal(await mode('https://api.openai.com/v1', 'gpt-5.4', 'chat_completions'), 'codex_responses');
  assert.equal(await mode('https://api.openai.com/v1', 'gpt-4o', 'chat_completions'), 'chat_completions');
  assert.equal(await mode('https://api.openai.com/v1', 'openai/GPT-5.4', 'chat_completions'), 'codex_responses');
  assert.equal(await mode('https://generativelanguage.googleapis.com/v1beta/openai'), 'chat_completions');
  const at = async (provider: string, url: string, model = 'm') => {
    const settings = { provider, base_url: url, default: model };
    return (await resolveRoute({}, settings, allKeys)).apiMode;
  };
  assert.equal(await at('gemini', 'https://proxy.test/v1beta/openai/'), 'chat_completions');
  assert.equal(await at('openai-api', 'https://proxy.test/v1', 'gpt-5.4'), 'chat_completions');
  assert.equal(await at('minimax', 'https://api.minimax.io/v1/'), 'chat_completions');
  assert.equal(await at('minimax', 'https://proxy.test/minimax'), 'anthropic_messages');
  assert.equal(await at('azure', 'https://me.services.ai.azure.com/models', 'claude-opus-4-6'), 'chat_completions');
  assert.equal(
    await at('azure', 'https://me.services.ai.azure.com/anthropic', 'claude-opus-4-6'),
    'anthropic_messages',
  );
});

test('LM Studio may be named by its host alone', async () => {
  const at = async (url: string) =>
    (await resolveRoute({ provider: 'lmstudio', model: 'm' }, {}, { LM_BASE_URL: url })).baseUrl;
  assert.equal(await at('http://192.0.2.5:1234'), 'http://192.0.2.5:1234/v1');
  assert.equal(await at('http://192.0.2.5:1234/'), 'http://192.0.2.5:1234/v1');
  assert.equal(await at('http://192.0.2.5:1234/api'), 'http://192.0.2.5:1234/api');
});

test('models of one provider may speak different formats', async () => {
  const mode = async (provider: string, model: string) =>
    (await resolveRoute({ provider, model }, {}, { ...allKeys, AZURE_FOUNDRY_BASE_URL: 'https://me.openai.azure.com' }))
      .apiMode;
  assert.equal(await mode('copilot', 'gpt-5.4'), 'codex_responses');
  assert.equal(await mode('copilot', 'gpt-5-mini'), 'chat_completions');
  assert.equal(await mode('copilot', 'gpt-5.4-mini'), 'codex_responses');
  assert.equal(await mode('copilot', 'gpt-4o'), 'chat_completions');
  assert.equal(await mode('opencode-zen', 'gpt-5.4'), 'codex_responses');
  assert.equal(await mode('opencode-zen', 'glm-5'), 'chat_completions');
  assert.equal(await mode('opencode-zen', 'qwen3.7-max'), 'anthropic_messages');
  assert.equal(await mode('opencode-zen', 'OpenCode-Zen/Claude-Sonnet-4-6'), 'anthropic_messages');
  assert.equal(await mode('opencode-go', 'qwen3.7-plus'), 'anthropic_messages');
  assert.equal(await mode('opencode-go', 'minimax-m2.5'), 'anthropic_messages');
  assert.equal(await mode('azure-foundry', 'gpt-5.4'), 'codex_responses');
  for (const model of ['o4-mini', 'codex-mini', 'openai/GPT-5-mini']) {
    assert.equal(await mode('azure-foundry', model), 'codex_responses', model);
  }
  assert.equal(await mode('azure-foundry', 'gpt-4.1'), 'chat_completions');
});

test('a model is called as its provider calls it, with its maker or without', async () => {
  const model = async (provider: string, name: string) =>
    (
      await resolveRoute(
        {},
        { provider, default: name, ...(provider === 'custom' ? { base_url: 'http://x.test/v1' } : {}) },
        allKeys,
      )
    ).model;
  for (const [provider, name, sent] of [
    ['opencode-go', 'opencode-go/kimi-k2.5', 'kimi-k2.5'],
    ['opencode-zen', 'minimax/minimax-m2.7', 'minimax-m2.7'],
    ['copilot', 'openai/gpt-5.4', 'gpt-5.4'],
    ['copilot', 'anthropic/claude-sonnet-4-6', 'claude-sonnet-4.6'],
    ['copilot', 'claude-sonnet-4-0', 'claude-sonnet-4'],
    ['copilot', 'claude-opus-4-20250514', 'claude-opus-4-20250514'],
    ['xiaomi', 'MiMo-V2.5-Pro', 'mimo-v2.5-pro'],
    ['zai', 'z-ai/glm-5.2', 'glm-5.2'],
    ['grok', 'x-ai/grok-4', 'grok-4'],
    ['openai-api', 'openai/gpt-5.4', 'gpt-5.4'],
    ['openrouter', 'openrouter/auto', 'openrouter/auto'],
    ['openrouter', 'gpt-5.4', 'openai/gpt-5.4'],
    ['kilo', 'Claude-Sonnet-4.6', 'anthropic/Claude-Sonnet-4.6'],
    ['nous', 'Hermes-4-405B', 'Hermes-4-405B'],
    ['nvidia', 'nvidia/llama-3.3-70b-instruct', 'nvidia/llama-3.3-70b-instruct'],
    ['huggingface', 'deepseek-ai/DeepSeek-V3.2', 'deepseek-ai/DeepSeek-V3.2'],
    ['fireworks', 'accounts/fireworks/models/glm-5p2', 'accounts/fireworks/models/glm-5p2'],
    ['custom', 'vllm/model', 'vllm/model'],
  ] as const) {
    assert.equal(await model(provider, name), sent, `${provider} ${name}`);
  }
});

test('a classic GitHub token is refused with what to do; another one is used', async () => {
  await assert.rejects(resolveRoute({ provider: 'copilot' }, {}, { GITHUB_TOKEN: 'ghp_0123456789' }), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(`${error.message} ${error.hint}`, /ghp_.*fine-grained.*gh auth login/);
    return true;
  });
  const env = { COPILOT_GITHUB_TOKEN: 'ghp_0123456789', GH_TOKEN: 'gho_0123456789' };
  assert.equal((await resolveRoute({ provider: 'copilot' }, {}, env)).provider, 'copilot');
});

test("Kimi's coding keys have an address of their own, unless another was chosen", async () => {
  const url = async (env: Env) => (await resolveRoute({ provider: 'kimi' }, {}, env)).baseUrl;
  assert.equal(await url({ KIMI_API_KEY: 'sk-kimi-0123' }), 'https://api.kimi.com/coding/v1');
  assert.equal(await url({ KIMI_API_KEY: 'sk-0123' }), 'https://api.moonshot.ai/v1');
  assert.equal(await url({ KIMI_API_KEY: 'sk-kimi-0123', KIMI_BASE_URL: 'https://p.test/v1' }), 'https://p.test/v1');
});

test('keys go to their own hosts only', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const sent = async (provider: string, env: Env, settings: ModelSettings = {}) => {
    const route = await resolveRoute({ provider, model: 'm' }, { ...settings }, env);
    await ask(route.protocol, { model: 'm' });
    return JSON.stringify(server.lastRequest.headers);
  };
  const elsewhere = { AI_GATEWAY_BASE_URL: server.url, OLLAMA_BASE_URL: server.url, OPENROUTER_BASE_URL: server.url };
  for (const [provider, key] of [
    ['ai-gateway', 'AI_GATEWAY_API_KEY'],
    ['ollama-cloud', 'OLLAMA_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
  ] as const) {
    assert.doesNotMatch(await sent(provider, { ...allKeys, ...elsewhere }), new RegExp(`key-of-${key}`), provider);
  }
  assert.match(await sent('deepseek', { ...allKeys, DEEPSEEK_BASE_URL: server.url }), /key-of-DEEPSEEK_API_KEY/);
});

test('a stored key goes where the base URL of its provider leads, unless it belongs to a host', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const poolWith = (baseUrl: string | undefined): CredentialPool => ({
    take: () =>
      Promise.resolve({ id: 'a', label: 'A', secret: 'stored-key-1', ...(baseUrl === undefined ? {} : { baseUrl }) }),
    report: () => Promise.resolve('next'),
  });
  const sent = async (request: RouteRequest, env: Env, stored?: string) => {
    const services = { poolFor: () => Promise.resolve(poolWith(stored)) };
    await ask((await resolveRoute({ model: 'm', ...request }, {}, env, services)).protocol, { model: 'm' });
    const { authorization, 'api-key': azure } = server.lastRequest.headers;
    return azure ?? authorization;
  };
  const azure = { AZURE_FOUNDRY_BASE_URL: server.url };
  assert.equal(await sent({ provider: 'azure-foundry' }, azure), 'stored-key-1');
  // The original notes the usual address with each key, which does not undo a choice.
  const deepseek = { DEEPSEEK_BASE_URL: server.url };
  assert.equal(await sent({ provider: 'deepseek' }, deepseek, 'https://api.deepseek.com/v1'), 'Bearer stored-key-1');
  assert.equal(await sent({ provider: 'deepseek' }, {}, server.url), 'Bearer stored-key-1');
  assert.equal(await sent({ provider: 'openrouter' }, { OPENROUTER_BASE_URL: server.url }), 'Bearer no-key-required');
  assert.equal(await sent({ provider: 'custom', baseUrl: server.url }, {}), 'Bearer no-key-required');
});

test('a placeholder is no key', async () => {
  await assert.rejects(
    resolveRoute({ provider: 'anthropic' }, {}, { ANTHROPIC_API_KEY: '***' }),
    /No API key for anthropic/,
  );
});

test("Anthropic's base URL of the environment counts only where Anthropic was named", async () => {
  const env = { ...allKeys, ANTHROPIC_BASE_URL: 'https://proxy.test' };
  assert.equal((await resolveRoute({ provider: 'claude' }, {}, env)).baseUrl, 'https://proxy.test');
  const own = { ANTHROPIC_API_KEY: 'sk-ant-api-1', ANTHROPIC_BASE_URL: 'https://proxy.test' };
  assert.equal((await resolveRoute({}, { default: 'claude-sonnet-4-6' }, own)).baseUrl, 'https://api.anthropic.com');
});

test('what Qwen and Copilot had in other programs is told with what to use instead', async () => {
  await assert.rejects(resolveRoute({ provider: 'qwen-oauth', model: 'm' }, {}, {}), {
    hint: /alibaba-coding-plan.*DASHSCOPE/,
  });
  for (const name of ['copilot-acp', 'GitHub-Copilot-ACP', 'copilot-acp-agent']) {
    await assert.rejects(resolveRoute({ provider: name, model: 'm' }, {}, {}), { hint: /provider `copilot`/ });
  }
});

test('a provider with a login says how to log in', async () => {
  for (const provider of ['nous', 'openai-codex', 'xai-oauth', 'minimax-oauth']) {
    await assert.rejects(resolveRoute({ provider }, {}, { ...allKeys, NOUS_API_KEY: '' }), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(`${error.message} ${error.hint}`, new RegExp(`Not logged in.*hermes auth add ${provider}`));
      return true;
    });
  }
});

test('Azure needs an address, and its keys travel in the header that it wants', async () => {
  await assert.rejects(
    resolveRoute({ provider: 'azure' }, {}, allKeys),
    /No address is set for provider 'azure-foundry'/,
  );
});

test('Vertex builds its address from the project', async () => {
  const env = { GOOGLE_CLOUD_PROJECT: 'my-project', GOOGLE_CLOUD_LOCATION: 'europe-west4' };
  const route = await resolveRoute({ provider: 'vertex' }, {}, env);
  assert.deepEqual(where(route).slice(2), [
    'https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google',
    'gemini_generate',
  ]);
  await assert.rejects(resolveRoute({ provider: 'vertex' }, {}, {}), /GOOGLE_CLOUD_PROJECT|No address/);
});

test('Vertex is asked at the global location, for the project of the account, where nobody names others', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-vertex-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'account.json');
  writeFileSync(file, JSON.stringify({ type: 'service_account', project_id: 'of-account' }));
  const at = async (settings: ModelSettings = {}) =>
    (await resolveRoute({ provider: 'vertex' }, settings, { VERTEX_CREDENTIALS_PATH: file })).baseUrl;
  const global = 'https://aiplatform.googleapis.com/v1/projects';
  assert.equal(await at(), `${global}/of-account/locations/global/publishers/google`);
  const named = { vertex: { project_id: 'mine', region: '' } };
  assert.equal(await at(named), `${global}/mine/locations/global/publishers/google`);
  writeFileSync(file, 'no account');
  await assert.rejects(at(), /No address/);
});

test('a base URL that ends in /anthropic is asked below /v1/messages', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'hello' }) });
  const settings = { base_url: `${server.url}/anthropic`, default: 'claude-test', api_key: 'key-1' };
  const { done } = await ask((await resolveRoute({}, settings, {})).protocol, { model: 'claude-test' });
  assert.equal(done.message.content, 'hello');
  assert.equal(server.lastRequest.path, '/anthropic/v1/messages');
});

test('what the owner prefers at OpenRouter is said there only, and side tasks do not inherit it', () => {
  const settings = { provider_routing: { sort: 'price' } };
  assert.deepEqual(openRouterBody(settings, 'a/b', false), { provider: { sort: 'price' } });
  assert.deepEqual(openRouterBody(settings, 'a/b', true), {});
  assert.deepEqual(openRouterBody({}, 'openrouter/pareto-code', false), {
    plugins: [{ id: 'pareto-router', min_coding_score: 0.65 }],
  });
  assert.deepEqual(
    openRouterCacheHeaders({}, modelVariables({ HERMES_OPENROUTER_CACHE: '1', HERMES_OPENROUTER_CACHE_TTL: '60' })),
    {
      'X-OpenRouter-Cache': 'true',
      'X-OpenRouter-Cache-TTL': '60',
    },
  );
  assert.deepEqual(openRouterCacheHeaders({}, modelVariables({ HERMES_OPENROUTER_CACHE_TTL: '60' })), {});
});

test('of several addresses the one that takes the key is found once and remembered', async () => {
  const refuses = () => ({ fault: 'status' as const, status: 401 });
  await using first = await startModelServer({ respond: refuses });
  await using second = await startModelServer({ respond: refuses });
  await using third = await startModelServer({ respond: () => ({ text: 'pong' }) });
  const profile = { ...zai, probeBaseUrls: [first.url, second.url, third.url] };
  const kept = new Map<string, string>();
  const findings = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    set: async (key: string, value: string) => void kept.set(key, value),
  };
  const probe = () =>
    probeAddress(
      { profile, key: 'zai-key-1', model: 'glm-5', findings, log: undefined, fetch },
      new AbortController().signal,
    );
  assert.equal(await probe(), third.url);
  assert.equal(await probe(), third.url);
  assert.deepEqual([first.requests.length, second.requests.length, third.requests.length], [1, 1, 1]);
  assert.doesNotMatch([...kept.entries()].join(), /zai-key-1/);
  assert.equal(third.lastRequest.body['max_tokens'], 1);
  // The same on the way to a route, which then goes there.
  kept.clear();
  const route = await resolveRoute(
    { provider: 'zai' },
    { profiles: [profile] },
    { GLM_API_KEY: 'zai-key-1' },
    { findings },
  );
  assert.equal(route.baseUrl, third.url);
  await ask(route.protocol, { model: route.model });
  assert.equal(third.lastRequest.headers.authorization, 'Bearer zai-key-1');
});

test('unknown models and providers of a request never reach the network', async () => {
  const request: RouteRequest = { provider: 'custom:gone', model: 'm' };
  await assert.rejects(resolveRoute(request, {}, allKeys), /Unknown provider 'custom:gone'/);
});

test('Ollama at its usual port is spoken to in its own format, with a window that it is asked for', async () => {
  const usual = await resolveRoute(
    { provider: 'custom', baseUrl: 'http://localhost:11434/v1', model: 'qwen3' },
    {},
    {},
  );
  assert.deepEqual([usual.apiMode, usual.contextLength], ['ollama_chat', 65_536]);
  const elsewhere = {
    provider: 'custom',
    base_url: 'http://10.0.0.7:9000',
    api_mode: 'ollama_chat',
    context_length: 16_000,
  };
  const named = await resolveRoute({ model: 'qwen3' }, elsewhere, {});
  assert.deepEqual([named.apiMode, named.contextLength], ['ollama_chat', 16_000]);
  const far = await resolveRoute(
    { provider: 'custom', baseUrl: 'https://models.test:11434/v1', model: 'qwen3' },
    {},
    {},
  );
  assert.equal(far.apiMode, 'chat_completions');
});

test('an answer of Ollama may take half of the window that it is asked for, and a window that was set for a model counts', async () => {
  const baseUrl = 'http://localhost:11434';
  const usual = await resolveRoute({ provider: 'ollama', baseUrl, model: 'llama3.2' }, {}, {});
  assert.deepEqual([usual.contextLength, usual.maxTokens], [65_536, 32_768]);
  const saved = {
    name: 'mine',
    base_url: baseUrl,
    api_mode: 'ollama_chat',
    models: { big: { context_length: 200_000 } },
  };
  const big = await resolveRoute({ provider: 'custom:mine', model: 'big' }, { custom_providers: [saved] }, {});
  assert.deepEqual([big.apiMode, big.contextLength], ['ollama_chat', 200_000]);
});

test('what is called Ollama is spoken to in its own format at any address, and a format that is set still counts', async () => {
  const baseUrl = 'http://192.168.1.9:8080/v1';
  const flag = await resolveRoute({ provider: 'ollama', baseUrl, model: 'qwen3' }, {}, {});
  assert.deepEqual([flag.provider, flag.apiMode, flag.contextLength], ['custom', 'ollama_chat', 65_536]);
  const configured = { provider: 'Ollama', base_url: baseUrl };
  assert.equal((await resolveRoute({ model: 'qwen3' }, configured, {})).apiMode, 'ollama_chat');
  const set = { ...configured, api_mode: 'chat_completions' };
  assert.equal((await resolveRoute({ model: 'qwen3' }, set, {})).apiMode, 'chat_completions');
});
