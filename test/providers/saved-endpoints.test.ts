/** Endpoints of the user's own from the map `providers`, as the original's migration leaves them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { parseModelSpec } from '../../src/providers/resolve.ts';
import { modelSettings } from '../../src/runtime/model-settings.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { hermes, makePlace } from '../cli/hermes-process.ts';
import { ask } from '../llm/protocols/ask.ts';
import { resolveRoute } from './sources.ts';

const migrated = (url: string) => `model: {default: m1, provider: "custom:My Box"}
providers:
  my-box:
    name: My Box
    api: ${url}
    key_env: MYBOX_KEY
    models: {m1: {context_length: 98304}, m2: {}}
    default_model: m1
    transport: chat_completions
    extra_body: {seed: 7}
    extra_headers: {X-Team: blue}
  other: {baseUrl: "http://127.0.0.1:9/v1", apiKey: sk-other, models: [x]}
  openrouter: {request_timeout_seconds: 5}
_config_version: 33
`;

test('an entry of the map is a provider by name, id and custom:id, with all that it says', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const place = temporaryHome(t);
  place.write('config.yaml', migrated(server.url));
  const loaded = await loadConfig(place);
  const settings = modelSettings(loaded.config);
  assert.deepEqual([loaded.warnings, loaded.unknownKeys()], [[], []]);
  for (const provider of [undefined, 'my-box', 'custom:my-box', 'My Box', 'custom:My Box']) {
    const request = provider === undefined ? {} : { provider };
    const route = await resolveRoute(request, settings, { MYBOX_KEY: 'sk-mine' });
    assert.deepEqual([route.provider, route.model, route.contextLength], ['custom:my-box', 'm1', 98_304], provider);
    await ask(route.protocol, { model: route.model });
    const { headers, body } = server.lastRequest;
    assert.deepEqual([headers.authorization, headers['x-team'], body['seed']], ['Bearer sk-mine', 'blue', 7]);
  }
  const current = { provider: 'openrouter', model: 'm', baseUrl: '' };
  assert.deepEqual(parseModelSpec('custom:other:x', current, settings), { provider: 'custom:other', model: 'x' });
  const other = await resolveRoute({ provider: 'other', model: 'x' }, settings, {});
  assert.equal(other.baseUrl, 'http://127.0.0.1:9/v1');
});

test('an entry that is switched off is not there, and one called `ollama` or `custom` is meant by that name', async (t) => {
  const place = temporaryHome(t);
  place.write(
    'config.yaml',
    `providers:
  work: {enabled: false, api: "http://127.0.0.1:9/v1"}
  ollama: {api: "http://10.0.0.5:11434/v1", default_model: q}
  custom: {api: "https://own.example.com/v1", default_model: q}
  deepseek: {api: "https://other.example.com/v1"}
`,
  );
  const loaded = await loadConfig(place);
  assert.deepEqual(loaded.unknownKeys(), []);
  const settings = modelSettings(loaded.config);
  await assert.rejects(resolveRoute({ provider: 'work', model: 'm' }, settings, {}), /Unknown provider 'work'/);
  const at = async (provider: string, baseUrl?: string) => {
    const request = baseUrl === undefined ? { provider, model: 'm' } : { provider, model: 'm', baseUrl };
    return (await resolveRoute(request, settings, { DEEPSEEK_API_KEY: 'sk-deepseek-1' })).baseUrl;
  };
  assert.equal(await at('ollama'), 'http://10.0.0.5:11434/v1');
  assert.equal(await at('custom'), 'https://own.example.com/v1');
  assert.equal(await at('custom', 'http://127.0.0.1:8/v1'), 'http://127.0.0.1:8/v1');
  assert.equal(await at('deepseek'), 'https://api.deepseek.com/v1', 'the id of a provider is that provider');
});

test('a home that the original migrated answers at once', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
  const place = makePlace(t);
  place.write('config.yaml', migrated(server.url));
  const run = await hermes(place, ['-z', 'ping'], { env: { MYBOX_KEY: 'sk-mine' } });
  assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
});
