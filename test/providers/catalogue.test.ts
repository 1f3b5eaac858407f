/** The providers of the original under all the names that its users write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProfile } from '../../src/providers/choose-provider.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { resolveRoute } from './sources.ts';

/** Aliases by provider; `local` is a provider of our own, which gives way to a saved endpoint of that name. */
const names: Readonly<Record<string, string>> = {
  alibaba: 'alibaba-cloud aliyun dashscope qwen qwen-dashscope',
  'alibaba-coding-plan': 'alibaba-coding alibaba_coding alibaba_coding_plan dashscope-coding',
  anthropic: 'claude claude-code claude-oauth',
  arcee: 'arcee-ai arceeai',
  'azure-foundry': 'azure azure-ai azure-ai-foundry',
  bedrock: 'amazon amazon-bedrock aws aws-bedrock',
  copilot: 'github github-copilot github-model github-models',
  custom: 'llama-cpp llama.cpp llamacpp ollama vllm',
  deepinfra: 'deep-infra deepinfra-ai',
  deepseek: 'deep-seek deepseek-chat',
  fireworks: 'fireworks-ai fw',
  gemini: 'google google-ai-studio google-gemini',
  gmi: 'gmi-cloud gmicloud',
  huggingface: 'hf hugging-face huggingface-hub',
  kilocode: 'kilo kilo-code kilo-gateway',
  'kimi-coding': 'kimi kimi-for-coding moonshot',
  'kimi-coding-cn': 'kimi-cn moonshot-cn',
  lmstudio: 'lm-studio lm_studio',
  minimax: 'mini-max',
  'minimax-cn': 'minimax-china minimax_cn',
  'minimax-oauth': 'minimax-global minimax-oauth-io minimax-portal minimax_oauth',
  nous: 'nous-portal nousresearch',
  novita: 'novita-ai novitaai',
  nvidia: 'build-nvidia nemotron nim nvidia-nim',
  'ollama-cloud': 'ollama_cloud',
  'openai-codex': 'codex openai_codex',
  'opencode-go': 'go opencode-go-sub opencode_go',
  'opencode-zen': 'opencode opencode_zen zen',
  openrouter: 'or',
  'qwen-oauth': 'qwen-cli qwen-portal',
  stepfun: 'step stepfun-coding-plan',
  'tencent-tokenhub': 'tencent tencent-cloud tencentmaas tokenhub',
  upstage: 'solar',
  vertex: 'gcp-vertex google-vertex vertex-ai vertexai',
  xai: 'grok x-ai x.ai',
  'xai-oauth': 'grok-oauth x-ai-oauth xai-grok-oauth',
  xiaomi: 'mimo xiaomi-mimo',
  zai: 'glm z-ai z.ai zhipu',
};

test('every name of a provider of the original finds it', () => {
  for (const [id, aliases] of Object.entries(names)) {
    for (const name of [id, ...aliases.split(' ')]) assert.equal(findProfile(name, {})?.id, id, name);
  }
});

test('no two providers share a name', () => {
  const all = providerCatalogue.flatMap(({ id, aliases }) => [id, ...aliases]);
  assert.deepEqual(
    all.filter((name, index) => all.indexOf(name) !== index),
    [],
  );
});

test('whoever tells agents apart by their names is told ours', () => {
  const told = providerCatalogue.flatMap(({ id, headers }) => {
    const name = headers?.['User-Agent'];
    return name === undefined ? [] : [[id, name]];
  });
  assert.deepEqual(told, [
    ['kimi-coding', 'hermes-agent/1.0'],
    ['kimi-coding-cn', 'hermes-agent/1.0'],
    ['gmi', 'HermesAgent/0.1.0'],
  ]);
});

test('addresses that are easily mistaken are those of the services', () => {
  const addresses: Readonly<Record<string, string>> = {
    deepinfra: 'https://api.deepinfra.com/v1/openai',
    fireworks: 'https://api.fireworks.ai/inference/v1',
    lmstudio: 'http://127.0.0.1:1234/v1',
    nous: 'https://inference-api.nousresearch.com/v1',
    'minimax-oauth': 'https://api.minimax.io/anthropic',
    'openai-codex': 'https://chatgpt.com/backend-api/codex',
    'qwen-oauth': 'https://portal.qwen.ai/v1',
    stepfun: 'https://api.stepfun.ai/step_plan/v1',
    upstage: 'https://api.upstage.ai/v1',
    'xai-oauth': 'https://api.x.ai/v1',
    zai: 'https://api.z.ai/api/paas/v4',
  };
  for (const [id, address] of Object.entries(addresses)) assert.equal(findProfile(id, {})?.baseUrl, address, id);
});

test('side tasks have a small model wherever the provider has one', () => {
  const models: Readonly<Record<string, string | undefined>> = {
    anthropic: 'claude-haiku-4-5-20251001',
    deepinfra: 'deepseek-ai/DeepSeek-V4-Flash',
    deepseek: 'deepseek-chat',
    fireworks: 'accounts/fireworks/models/glm-5p2',
    gemini: 'gemini-3.5-flash',
    gmi: 'google/gemini-3.1-flash-lite-preview',
    kilocode: 'google/gemini-3-flash-preview',
    'kimi-coding': 'kimi-k2-turbo-preview',
    'kimi-coding-cn': 'kimi-k2-turbo-preview',
    minimax: 'MiniMax-M3',
    'minimax-cn': 'MiniMax-M3',
    'minimax-oauth': 'MiniMax-M2.7',
    nous: 'google/gemini-3-flash-preview',
    novita: 'deepseek/deepseek-v3-0324',
    'ollama-cloud': 'nemotron-3-nano:30b',
    'openai-codex': 'gpt-5.3-codex',
    'opencode-go': 'glm-5',
    'opencode-zen': 'gemini-3-flash',
    openrouter: 'google/gemini-3-flash-preview',
    stepfun: 'step-3.5-flash',
    zai: 'glm-4.5-flash',
    // Their main model is used.
    custom: undefined,
    copilot: undefined,
    xai: undefined,
  };
  for (const [id, model] of Object.entries(models)) assert.equal(findProfile(id, {})?.auxModel, model, id);
});

test('a copied request path is taken off the address', async () => {
  for (const path of ['', '/', '/chat/completions', '/chat/completions/', '/responses']) {
    const settings = { provider: 'custom', base_url: `http://box:8000/v1${path}`, default: 'm' };
    assert.equal((await resolveRoute({}, settings, {})).baseUrl, 'http://box:8000/v1', path);
  }
});

test('a port that cannot be called is told before anything is tried', async () => {
  for (const port of [6000, 10_080]) {
    const settings = { provider: 'custom', base_url: `http://localhost:${port}/v1`, default: 'm' };
    await assert.rejects(resolveRoute({}, settings, {}), new RegExp(`has port ${port}, which HTTP clients refuse`));
  }
});

test('the longest answer of Kimi and of an own endpoint, which leaves half the window for the question', async () => {
  const kimi = await resolveRoute({ provider: 'kimi', model: 'kimi-k2.5' }, {}, { KIMI_API_KEY: 'sk-1234567890' });
  assert.equal(kimi.maxTokens, 32_000);
  const own = { provider: 'custom', base_url: 'http://box:8000/v1', default: 'm' };
  assert.equal((await resolveRoute({}, { ...own, context_length: 200_000 }, {})).maxTokens, 65_536);
  assert.equal((await resolveRoute({}, { ...own, context_length: 64_000 }, {})).maxTokens, 32_000);
});

test('a key of the Nous portal works without a login', async () => {
  const route = await resolveRoute({ provider: 'nous', model: 'm' }, {}, { NOUS_API_KEY: 'nous-key-1234567890' });
  assert.deepEqual(await route.authorizer?.headers(AbortSignal.timeout(1000)), {
    authorization: 'Bearer nous-key-1234567890',
  });
});
