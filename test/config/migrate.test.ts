/** Bringing a file to this build's version: what is added, what is left out, and what goes. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { migrateConfig, missingKeys } from '../../src/config/migrate.ts';
import { CONFIG_VERSION } from '../../src/config/schema.ts';
import { temporaryHome } from './temporary-home.ts';

async function migrated(t: TestContext, yaml: string, env?: string) {
  const place = temporaryHome(t);
  place.write('config.yaml', yaml);
  if (env !== undefined) place.write('.env', env);
  const loaded = await loadConfig(place);
  const missing = missingKeys(loaded).map(({ path }) => path.join('.'));
  const added = await migrateConfig(place, loaded);
  return { ...place, loaded, missing, added, data: parse(place.read('config.yaml')) };
}

test('blocks that would change their meaning by being written are left out', async (t) => {
  const { missing, data } = await migrated(t, 'model: m\n');
  assert.ok(missing.includes('agent.max_turns'));
  const never = /^(terminal|model|toolsets|personalities|platforms|streaming|telegram|email)(\.|$)/;
  assert.deepEqual(
    missing.filter((key) => never.test(key)),
    [],
  );
  assert.equal(data.model, 'm');
  assert.equal(data.terminal, undefined);
});

test('a key that is there in an old spelling, or whose place a scalar takes, is not added', async (t) => {
  const { missing, data } = await migrated(t, 'max_turns: 5\ndisplay: off\n');
  assert.ok(!missing.includes('agent.max_turns'));
  assert.deepEqual(
    missing.filter((key) => key.startsWith('display.')),
    [],
  );
  assert.equal(data.max_turns, 5);
});

test('what a variable or an administrator decides is not written as a default', async (t) => {
  const place = temporaryHome(t);
  place.write('config.yaml', 'model: m\n');
  const loaded = await loadConfig({ home: place.home, env: { ...place.env, HERMES_MAX_ITERATIONS: '7' } });
  assert.ok(!missingKeys(loaded).some(({ path }) => path.join('.') === 'agent.max_turns'));
});

for (const [version, env, left] of [
  [8, 'ANTHROPIC_TOKEN=old-token\nANTHROPIC_API_KEY=sk-ant-key\n', 'ANTHROPIC_API_KEY=sk-ant-key\n'],
  [8, 'ANTHROPIC_TOKEN=the-only-one\n', 'ANTHROPIC_TOKEN=the-only-one\n'],
  [
    9,
    'ANTHROPIC_TOKEN=new-token\nANTHROPIC_API_KEY=sk-ant-key\n',
    'ANTHROPIC_TOKEN=new-token\nANTHROPIC_API_KEY=sk-ant-key\n',
  ],
] as const) {
  test(`a file of version ${version} with ${env.split('=').length - 1} logins keeps ${left.split('=').length - 1}`, async (t) => {
    const { read } = await migrated(t, `_config_version: ${version}\n`, env);
    assert.equal(read('.env'), left);
  });
}

test('a file of this or a newer version is not touched', async (t) => {
  for (const version of [CONFIG_VERSION, CONFIG_VERSION + 5]) {
    const yaml = `# mine\n_config_version: ${version}\n`;
    const { added, read } = await migrated(t, yaml);
    assert.deepEqual([added, read('config.yaml')], [0, yaml]);
  }
});
