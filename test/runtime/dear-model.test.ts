/** Moving a session to a model that costs much. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWith } from './support.ts';

test('a model whose known price is high is switched to with a warning, another one without', async (t) => {
  await using main = await startModelServer();
  const models = { body: { data: [{ id: 'o1-pro' }, { id: 'gpt-4.1' }] } };
  await using openai = await startJsonServer({ 'GET /v1/models': models });
  const at = `provider: openai-api, base_url: "${openai.url}/v1"`;
  const aliases = `model_aliases:\n  dear: {model: o1-pro, ${at}}\n  usual: {model: gpt-4.1, ${at}}\n`;
  const open = await homeWith(t, main, aliases, { OPENAI_API_KEY: 'sk-openai-test-key-1' })();
  const session = await open.openSession({ surface: 'cli', human: headless });
  const dearLines = async (model: string): Promise<string[]> =>
    (await session.model.switch(model)).filter((line) => line.includes('dear'));
  assert.deepEqual(await dearLines('dear'), [
    '⚠ o1-pro is dear: $150 for a million tokens in, $600 for a million out.',
  ]);
  assert.deepEqual(await dearLines('usual'), []);
});
