/** Moving a session to another model: how the provider is asked whether it has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWith } from './support.ts';

test('Azure is asked for its models with the header that it wants', async (t) => {
  await using main = await startModelServer();
  await using azure = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'gpt-4.1' }] } } });
  const env = { AZURE_FOUNDRY_BASE_URL: `${azure.url}/v1`, AZURE_FOUNDRY_API_KEY: 'azure-key-1' };
  const session = await (await homeWith(t, main, '', env)()).openSession({ surface: 'cli', human: headless });
  assert.deepEqual(await session.model.switch('azure-foundry:gpt-4.1'), []);
  const keys = azure.requests.map(({ headers }) => [headers['api-key'], headers.authorization]);
  assert.ok(keys.length > 0);
  assert.deepEqual(new Set(keys.map(String)), new Set(['azure-key-1,']));
});

test('Anthropic is asked for its models with a login as a bearer token', async (t) => {
  await using main = await startModelServer();
  await using anthropic = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'claude-opus-4-6' }] } } });
  const env = { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-1' };
  const login = `model_aliases:\n  opus: {provider: anthropic, model: claude-opus-4-6, base_url: ${anthropic.url}}\n`;
  const session = await (await homeWith(t, main, login, env)()).openSession({ surface: 'cli', human: headless });
  await session.model.switch('opus');
  const sent = anthropic.requests.find(({ path }) => path.startsWith('/v1/models?limit='))?.headers;
  assert.equal(sent?.authorization, 'Bearer sk-ant-oat01-1');
  assert.equal(sent['x-api-key'], undefined);
  assert.equal(sent['anthropic-beta'], 'oauth-2025-04-20');
});
