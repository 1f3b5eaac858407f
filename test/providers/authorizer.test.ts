/** What lets a request in: which header carries which credential, for whoever asks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { CredentialPool } from '../../src/credentials/credential.ts';
import { ModelError } from '../../src/llm/model-error.ts';
import { noKeyRequired } from '../../src/llm/endpoint.ts';
import { openEndpoint, type RouteRequest } from '../../src/providers/resolve.ts';
import type { RouteServices } from '../../src/providers/route-services.ts';
import { sourcesOf } from './sources.ts';

const { signal } = new AbortController();

async function headersOf(request: RouteRequest, variables: Record<string, string>, services: RouteServices = {}) {
  const { authorizer } = await openEndpoint(request, sourcesOf({}, variables, services));
  return await authorizer?.headers(signal);
}

test('each kind of endpoint gets its key in the header that it wants', async () => {
  const version = { 'anthropic-version': '2023-06-01' };
  const login = { authorization: 'Bearer sk-ant-oat01-1', ...version, 'anthropic-beta': 'oauth-2025-04-20' };
  const azure = 'https://me.services.ai.azure.com/anthropic';
  const cases: readonly (readonly [RouteRequest, Record<string, string>, Record<string, string>])[] = [
    [{ provider: 'deepseek' }, { DEEPSEEK_API_KEY: 'sk-1234' }, { authorization: 'Bearer sk-1234' }],
    [{ provider: 'gemini' }, { GEMINI_API_KEY: 'AIza-1234' }, { 'x-goog-api-key': 'AIza-1234' }],
    [{ provider: 'anthropic' }, { ANTHROPIC_API_KEY: 'sk-ant-api-1' }, { 'x-api-key': 'sk-ant-api-1', ...version }],
    [{ provider: 'anthropic' }, { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-1' }, login],
    [
      { provider: 'opencode-zen', model: 'claude-sonnet-4-6' },
      { OPENCODE_ZEN_API_KEY: 'zen-1234' },
      { authorization: 'Bearer zen-1234', 'x-api-key': 'zen-1234', ...version },
    ],
    [
      { provider: 'custom', baseUrl: 'https://gateway.example.com/anthropic', apiKey: 'gateway-1' },
      {},
      { authorization: 'Bearer gateway-1', 'x-api-key': 'gateway-1', ...version },
    ],
    [
      { provider: 'custom', baseUrl: 'http://127.0.0.1:8000/anthropic' },
      {},
      { authorization: `Bearer ${noKeyRequired}`, ...version },
    ],
    [{ provider: 'minimax' }, { MINIMAX_API_KEY: 'mm-1234' }, { authorization: 'Bearer mm-1234', ...version }],
    [
      { provider: 'anthropic', baseUrl: azure },
      { AZURE_ANTHROPIC_KEY: 'azure-1', ANTHROPIC_API_KEY: 'sk-ant-api-1' },
      { 'api-key': 'azure-1', ...version },
    ],
    [
      { provider: 'azure', baseUrl: 'https://gateway.example.com/openai/v1' },
      { AZURE_FOUNDRY_API_KEY: 'azure-2' },
      { 'api-key': 'azure-2' },
    ],
    [
      { provider: 'custom', baseUrl: 'https://me.openai.azure.com/openai/v1', apiKey: 'azure-3' },
      {},
      { 'api-key': 'azure-3' },
    ],
    [
      { provider: 'custom', baseUrl: 'https://api.deepseek.com/v1' },
      { DEEPSEEK_API_KEY: 'sk-deepseek-1', OPENAI_API_KEY: 'sk-openai-1' },
      { authorization: 'Bearer sk-deepseek-1' },
    ],
    [
      { provider: 'custom', baseUrl: 'https://api.deepseek.com.evil.test/v1' },
      { DEEPSEEK_API_KEY: 'sk-deepseek-1' },
      { authorization: `Bearer ${noKeyRequired}` },
    ],
    [
      { provider: 'custom', baseUrl: 'https://api.groq.com/openai/v1' },
      { GROQ_API_KEY: 'gsk-groq-1', OPENAI_API_KEY: 'sk-openai-1' },
      { authorization: 'Bearer gsk-groq-1' },
    ],
    [
      { provider: 'custom', baseUrl: 'https://groq.com.evil.test/v1' },
      { GROQ_API_KEY: 'gsk-groq-1' },
      { authorization: `Bearer ${noKeyRequired}` },
    ],
    [
      { provider: 'custom', baseUrl: 'https://api.anthropic.test/v1' },
      { ANTHROPIC_API_KEY: 'sk-ant-api-1' },
      { authorization: `Bearer ${noKeyRequired}` },
    ],
    [
      { provider: 'custom', baseUrl: 'https://eu.deepseek.com/v1' },
      { DEEPSEEK_API_KEY: 'sk-deepseek-1' },
      { authorization: 'Bearer sk-deepseek-1' },
    ],
    [
      { provider: 'custom', baseUrl: 'http://10.0.0.5/v1' },
      { '0_API_KEY': 'x-1234', OPENAI_API_KEY: 'sk-openai-1' },
      { authorization: 'Bearer sk-openai-1' },
    ],
    [
      { provider: 'custom', baseUrl: 'https://gateway.openrouter.com/v1' },
      { OPENROUTER_API_KEY: 'sk-or-v1-1234' },
      { authorization: `Bearer ${noKeyRequired}` },
    ],
    [{ provider: 'lmstudio' }, {}, { authorization: `Bearer ${noKeyRequired}` }],
  ];
  for (const [request, variables, expected] of cases) {
    assert.deepEqual(await headersOf(request, variables), expected, JSON.stringify(request));
  }
});

test('a login of ChatGPT names its account', async () => {
  const pool: CredentialPool = {
    take: () => Promise.resolve({ id: 'a', label: 'A', secret: 'token-of-a', account: 'account-1' }),
    report: () => Promise.resolve('next'),
  };
  const headers = await headersOf({ provider: 'openai-codex' }, {}, { poolFor: () => Promise.resolve(pool) });
  assert.deepEqual(headers, { authorization: 'Bearer token-of-a', 'ChatGPT-Account-ID': 'account-1' });
  const claims = JSON.stringify({ 'https://api.openai.com/auth': { chatgpt_account_id: 'account-2' } });
  const token = `e30.${Buffer.from(claims).toString('base64url')}.sig`;
  const byToken = await headersOf({ provider: 'openai-codex', apiKey: token }, {});
  assert.equal(byToken?.['ChatGPT-Account-ID'], 'account-2');
});

test('AWS signs by itself', async () => {
  assert.equal(await headersOf({ provider: 'bedrock' }, {}), undefined);
});

test('a pool gives what it would lend, and says why when it has nothing', async () => {
  const reported: string[] = [];
  let held = [{ id: 'a', label: 'A', secret: 'token-of-a' }];
  const pool: CredentialPool = {
    take: () => Promise.resolve(held[0]),
    report: (_credential, outcome) => {
      reported.push(outcome.kind === 'failed' && outcome.status === undefined ? 'no judgement' : 'a judgement');
      return Promise.resolve('same');
    },
    nothingLeft: () => ({ kind: 'rate_limit', message: 'all rest' }),
  };
  const services = { poolFor: () => Promise.resolve(pool) };
  const { authorizer } = await openEndpoint({ provider: 'nous' }, sourcesOf({}, {}, services));
  assert.deepEqual(await authorizer?.headers(signal), { authorization: 'Bearer token-of-a' });
  assert.deepEqual([authorizer?.secrets, reported], [['token-of-a'], ['no judgement']]);
  held = [];
  await assert.rejects(
    async () => await authorizer?.headers(signal),
    (error) => error instanceof ModelError && error.kind === 'rate_limit' && error.message === 'all rest',
  );
});

test('an authorizer shows no secret when it is printed', async () => {
  const { authorizer } = await openEndpoint(
    { provider: 'deepseek' },
    sourcesOf({}, { DEEPSEEK_API_KEY: 'sk-hidden-1' }),
  );
  assert.doesNotMatch(`${JSON.stringify(authorizer)}${inspect(authorizer, { depth: 9 })}`, /sk-hidden-1/);
});
