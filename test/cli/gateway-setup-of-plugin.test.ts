/** `hermes gateway setup` for a chat platform of a plug-in: by its variables, or in its own way. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { readEnvFile } from '../../src/config/dotenv.ts';
import { noTmux, openPane, type Pane } from './interactive/tmux.ts';
import { makePlace, type Place } from './hermes-process.ts';

const model = 'model:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: old\n  api_key: key-1\n';

function pluginPlace(t: TestContext, fields: string): Place {
  const place = makePlace(t);
  place.write('config.yaml', `${model}plugins: {enabled: [foo]}\n`);
  const manifest = 'kind: platform\nrequires_env: [FOO_TOKEN, {name: FOO_CHANNEL, prompt: Channel of Foo}]\n';
  place.write('plugins/foo/plugin.yaml', manifest);
  const code = `export default (ctx) => ctx.registerPlatform({ name: 'foo', label: 'Foo', ${fields}
    adapter_factory: () => ({ async connect() {}, async disconnect() {}, async send() { return { ok: true, messageId: '1' }; } }) });`;
  place.write('plugins/foo/index.mjs', code);
  return place;
}

function variablesOf(place: Place): Readonly<Record<string, string>> {
  return Object.fromEntries(readEnvFile(join(place.home, '.env')).values);
}

async function choose(pane: Pane): Promise<void> {
  await pane.sees(/What do you want to set up\?[^]*Foo/);
  pane.keys('Down', 'Down');
  await pane.sees(/● Foo/);
  pane.keys('Enter');
}

async function sayWhoMayTalk(pane: Pane): Promise<void> {
  await pane.sees(/Who may talk to it\?/);
  pane.keys('Enter');
}

/** Chooses nothing more, and no service of the system. */
async function leave(pane: Pane): Promise<void> {
  await pane.sees(/Foo \(plugin\) is stored in[^]*● nothing more/);
  pane.keys('Enter');
  const screen = await pane.sees(/Start it in this terminal with|● Yes/);
  if (/● Yes/.test(screen)) pane.keys('n');
  assert.equal(await pane.ended(), 0);
}

suite('a platform of a plug-in in hermes gateway setup', { concurrency: 2, skip: noTmux }, () => {
  test('the variables of plugin.yaml are asked for, those that hold secrets without showing them', async (t) => {
    const place = pluginPlace(t, '');
    const pane = openPane(t, place, ['gateway', 'setup']);
    await choose(pane);
    await pane.sees(/FOO_TOKEN/);
    pane.enter('hidden-4711');
    await pane.sees(/Channel of Foo/);
    pane.enter('the hall');
    await sayWhoMayTalk(pane);
    await leave(pane);
    const { FOO_TOKEN, FOO_CHANNEL } = variablesOf(place);
    assert.deepEqual([FOO_TOKEN, FOO_CHANNEL], ['hidden-4711', 'the hall']);
    assert.ok(!pane.written().includes('hidden-4711'), 'the token is not shown');
    assert.ok(pane.written().includes('the hall'));
  });

  test('a platform with a setup_fn asks in its own way, and nothing is stored before the last answer', async (t) => {
    const setUp = `setup_fn: async (ask) => {
      ask.say('Foo lives at foo.example.');
      ask.setVariable('FOO_TOKEN', await ask.secret('Key of Foo'));
      ask.setVariable('FOO_CHANNEL', 'lobby');
      ask.setSetting('zone', await ask.text('Zone of Foo', { initial: 'eu' }));
    },`;
    const place = pluginPlace(t, setUp);
    const pane = openPane(t, place, ['gateway', 'setup']);
    await choose(pane);
    await pane.sees(/Foo lives at foo\.example\.[^]*Key of Foo/);
    pane.enter('hidden-4711');
    await pane.sees(/Zone of Foo/);
    pane.keys('Enter');
    await pane.sees(/Who may talk to it\?/);
    assert.equal(existsSync(join(place.home, '.env')), false);
    await sayWhoMayTalk(pane);
    await leave(pane);
    const { FOO_TOKEN, FOO_CHANNEL } = variablesOf(place);
    assert.deepEqual([FOO_TOKEN, FOO_CHANNEL], ['hidden-4711', 'lobby']);
    assert.deepEqual(parse(place.read('config.yaml')).platforms.foo, { zone: 'eu' });
    assert.ok(!pane.written().includes('hidden-4711'), 'the token is not shown');
  });

  test('a setup_fn that fails is told in one line, and whoever does not want it once more changes nothing', async (t) => {
    const place = pluginPlace(t, "setup_fn: () => { throw new Error('no\\n idea'); },");
    const before = place.read('config.yaml');
    const pane = openPane(t, place, ['gateway', 'setup']);
    await choose(pane);
    await pane.sees(/the set-up of Foo failed: no idea[^]*Try it once more\?/);
    pane.keys('n');
    await pane.sees(/Nothing was changed/);
    assert.equal(await pane.ended(), 0);
    assert.equal(existsSync(join(place.home, '.env')), false);
    assert.equal(place.read('config.yaml'), before);
  });
});
