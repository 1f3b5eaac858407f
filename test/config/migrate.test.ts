/** Bringing a file to this build's version: what is moved, what is left alone, and what goes. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { migrateConfig } from '../../src/config/migrate.ts';
import { CONFIG_VERSION } from '../../src/config/schema.ts';
import { temporaryHome } from './temporary-home.ts';

async function migrated(t: TestContext, yaml: string, env?: string) {
  const place = temporaryHome(t);
  place.write('config.yaml', yaml);
  if (env !== undefined) place.write('.env', env);
  const loaded = await loadConfig(place);
  const changed = await migrateConfig(place, loaded);
  return { ...place, loaded, changed, data: parse(place.read('config.yaml')) };
}

test('the version is never higher than that of the program whose files these are', () => {
  assert.equal(CONFIG_VERSION, 33);
});

test('no default is written, and what the user wrote stays', async (t) => {
  const { changed, data } = await migrated(t, 'model: m\nmax_turns: 5\ndisplay: off\n');
  assert.deepEqual(changed, ['agent.verify_on_stop']);
  assert.deepEqual(data, {
    model: 'm',
    max_turns: 5,
    display: 'off',
    agent: { verify_on_stop: false },
    _config_version: 33,
  });
});

test('saved endpoints become the map of providers, field by field', async (t) => {
  const { data, changed } = await migrated(
    t,
    `_config_version: 11
custom_providers:
  - name: My Box
    base_url: http://127.0.0.1:9999/v1
    key_env: MYBOX_KEY
    api_mode: chat_completions
    model: m1
    extra_body: {a: 1}
    models: {m1: {context_length: 12345}}
  - {name: Other, base_url: "http://127.0.0.1:9998/v1", models: [x, y]}
  - {base_url: "http://127.0.0.1:9997/v1"}
agent: {verify_on_stop: true}
`,
  );
  assert.deepEqual(data.providers, {
    'my-box': {
      api: 'http://127.0.0.1:9999/v1',
      name: 'My Box',
      key_env: 'MYBOX_KEY',
      extra_body: { a: 1 },
      models: { m1: { context_length: 12_345 } },
      default_model: 'm1',
      transport: 'chat_completions',
    },
    other: { api: 'http://127.0.0.1:9998/v1', name: 'Other', models: { x: {}, y: {} } },
    '127-0-0-1': { api: 'http://127.0.0.1:9997/v1' },
  });
  assert.equal(data.custom_providers, undefined);
  assert.ok(changed.includes('custom_providers'));
  assert.equal(data.agent.verify_on_stop, true);
});

test('keys that moved between versions are moved once', async (t) => {
  const { data } = await migrated(
    t,
    'stt: {provider: groq, model: w}\nmodel_catalog: {ttl_hours: 24}\nmemory: {write_mode: approve}\nskills: {write_mode: "on"}\ndelegation: {max_async_children: 7, max_concurrent_children: 4}\n',
  );
  assert.deepEqual(data.stt, { provider: 'groq', groq: { model: 'w' } });
  assert.deepEqual(data.model_catalog, { ttl_hours: 1 });
  assert.deepEqual([data.memory, data.skills], [{ write_approval: true }, { write_approval: false }]);
  assert.deepEqual(data.delegation, { max_concurrent_children: 7 });
});

test('the summariser moves to where side tasks are, where nothing stands yet', async (t) => {
  const old =
    'compression: {threshold: 0.6, summary_model: " a/b ", summary_provider: openrouter, summary_base_url: ""}\n';
  const { data } = await migrated(t, old);
  assert.deepEqual(data.compression, { threshold: 0.6 });
  assert.deepEqual(data.auxiliary.compression, { model: 'a/b', provider: 'openrouter' });
  const taken = await migrated(t, `${old}auxiliary: {compression: {model: c, provider: auto}}\n`);
  assert.deepEqual(taken.data.auxiliary.compression, { model: 'c', provider: 'openrouter' });
  const none = await migrated(t, 'compression: {enabled: true, summary_provider: auto}\n');
  assert.deepEqual([none.data.compression, none.data.auxiliary], [{ enabled: true }, undefined]);
});

test('a file of a later version keeps what only earlier versions had to move', async (t) => {
  const yaml =
    '_config_version: 32\nmodel_catalog: {ttl_hours: 24}\ncustom_providers: [{name: a, base_url: "http://x/v1"}]\n';
  const { data, changed } = await migrated(t, yaml);
  assert.deepEqual([data.model_catalog.ttl_hours, data.custom_providers.length, changed], [24, 1, []]);
});

for (const [version, env, left] of [
  [8, 'ANTHROPIC_TOKEN=old-token\nANTHROPIC_API_KEY=sk-ant-key\n', 'ANTHROPIC_API_KEY=sk-ant-key\n'],
  [8, 'ANTHROPIC_TOKEN=the-only-one\n', 'ANTHROPIC_TOKEN=the-only-one\n'],
  [12, 'LLM_MODEL=m\nA=1\n', 'A=1\n'],
  [
    13,
    'LLM_MODEL=m\nANTHROPIC_TOKEN=new-token\nANTHROPIC_API_KEY=sk-ant-key\n',
    'LLM_MODEL=m\nANTHROPIC_TOKEN=new-token\nANTHROPIC_API_KEY=sk-ant-key\n',
  ],
] as const) {
  test(`a file of version ${version} with ${env.split('=').length - 1} variables keeps ${left.split('=').length - 1}`, async (t) => {
    const { read } = await migrated(t, `_config_version: ${version}\n`, env);
    assert.equal(read('.env'), left);
  });
}

test('a file of this or a newer version is not touched', async (t) => {
  for (const version of [CONFIG_VERSION, CONFIG_VERSION + 5]) {
    const yaml = `# mine\n_config_version: ${version}\n`;
    const { changed, read } = await migrated(t, yaml);
    assert.deepEqual([changed, read('config.yaml')], [[], yaml]);
  }
});

test('the number that early builds of this program wrote is taken back, and loads without a word', async (t) => {
  const { read, loaded } = await migrated(t, '# mine\n_config_version: 40\nmodel: m\n');
  assert.equal(read('config.yaml'), '# mine\n_config_version: 33\nmodel: m\n');
  assert.deepEqual(loaded.warnings, []);
});
