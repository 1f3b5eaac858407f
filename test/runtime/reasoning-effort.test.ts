/** How hard models think: the conversation's, single models, side tasks, and what a person says while they talk. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { chatAt, placeFor } from './support.ts';

const respond = () => ({ text: 'Done.' });
const model = 'model:\n  provider: ai-gateway\n  default: anthropic/claude-sonnet-4.6\n';
const envAt = (url: string) => ({ AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_BASE_URL: url });

test('a model with an effort of its own has that one, until a person says otherwise', async (t) => {
  await using server = await startModelServer({ respond });
  const config = `${model}agent:\n  reasoning_effort: low\n  reasoning_overrides:\n    claude-sonnet-4-6: max\n`;
  const chat = await chatAt(placeFor(t, undefined, config, { env: envAt(server.url) }));
  await chat.say('hi');
  assert.deepEqual(server.lastRequest.body['reasoning'], { enabled: true, effort: 'xhigh' });
  assert.equal(chat.session.agent.settings.reasoningEffort, 'xhigh');
  assert.match((await chat.session.row())?.model_config ?? '', /"effort":"xhigh"/);
  chat.session.agent.settings.reasoningEffort = 'minimal';
  await chat.say('hi');
  assert.deepEqual(server.lastRequest.body['reasoning'], { enabled: true, effort: 'minimal' });
});

test('a mixture that is traced leaves a line for each answer, which only its owner can read', async (t) => {
  await using server = await startModelServer({ respond });
  const member = 'provider: ai-gateway, model: anthropic/claude-sonnet-4.6';
  const config = `model:
  provider: moa
  default: team
moa:
  save_traces: true
  presets:
    team:
      reference_models: [{ ${member} }]
      aggregator: { ${member} }
`;
  const place = placeFor(t, undefined, config, { env: envAt(server.url) });
  const chat = await chatAt(place);
  await chat.say('Which structure?');
  const folder = join(place.homePath, 'moa-traces');
  assert.deepEqual(readdirSync(folder), [`${chat.session.id}.jsonl`]);
  const path = join(folder, `${chat.session.id}.jsonl`);
  assert.equal(statSync(path).mode & 0o077, 0);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 1);
  const record = JSON.parse(lines[0] ?? '');
  assert.deepEqual([record.preset, record.references[0].output, record.aggregator.output], ['team', 'Done.', 'Done.']);
  assert.match(record.references[0].input_messages[0].content, /Which structure\?/);
});
