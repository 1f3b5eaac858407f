/** `hermes setup` without a section: all sections in turn, each stored whole or not at all. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { startModelServer } from '../fakes/model-server.ts';
import { noTmux, openPane } from './interactive/tmux.ts';
import { hermes, makePlace, ok, type Place } from './hermes-process.ts';

const setUp = '# mine\nmodel:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: old\n';

function configOf(place: Place): Record<string, unknown> {
  return parse(place.read('config.yaml')) as Record<string, unknown>;
}

suite('hermes setup in a terminal', { concurrency: 2, skip: noTmux }, () => {
  test('Enter walks through all that is set and writes nothing', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', setUp);
    const pane = openPane(t, place, ['setup']);
    await pane.sees(/Model: old \(custom\)[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Terminal: terminal\.backend = local[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Agent: agent\.max_turns = 90[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Chat platforms and servers: none[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Tools: [^]*file[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Settings: .*config\.yaml[^]*Nothing was changed\. Start with: hermes/);
    assert.equal(await pane.ended(), 0);
    assert.equal(place.read('config.yaml'), setUp);
    assert.equal(existsSync(join(place.home, '.env')), false);
  });

  test('an empty home is asked for a model first, and every section that was changed is stored', async (t) => {
    await using server = await startModelServer({ models: ['small-1'] });
    const place = makePlace(t);
    place.write('.env', `LM_BASE_URL=${server.url}\nLM_API_KEY=lm-key-00001\n`);
    const pane = openPane(t, place, ['setup']);
    await pane.sees(/How would you like to begin\?[^]*● In full/);
    pane.keys('Enter');
    await pane.sees(/Which provider\?/);
    pane.type('lm studio');
    await pane.sees(/● LM Studio/);
    pane.keys('Enter');
    await pane.sees(/Base URL of LM Studio/);
    pane.keys('Enter');
    await pane.sees(/LM_API_KEY/);
    pane.keys('Enter');
    await pane.sees(/Which model\?[^]*small-1/);
    pane.keys('Enter');
    await pane.sees(/Stored: small-1 \(lmstudio\)[^]*Terminal: [^]*● No/);
    assert.partialDeepStrictEqual(
      configOf(place)['model'],
      { default: 'small-1' },
      'a section is stored when it is done',
    );
    pane.keys('Enter');
    await pane.sees(/Agent: [^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Most model requests/);
    pane.keys('C-u');
    pane.enter('25');
    await pane.sees(/How much is shown/);
    pane.keys('Enter');
    await pane.sees(/Summarise long/);
    pane.keys('Enter');
    await pane.sees(/Share of the model/);
    pane.keys('Enter');
    await pane.sees(/starts afresh by itself[^]*● never/);
    pane.keys('Enter');
    await pane.sees(/Stored: agent\.max_turns = 25[^]*Chat platforms and servers: none[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Tools: [^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Toolsets that are on/);
    pane.keys('Tab', 'Enter');
    await pane.sees(/On \(cli\): [^]*Ready\. Start with: hermes/);
    assert.equal(await pane.ended(), 0);
    assert.partialDeepStrictEqual(configOf(place), { agent: { max_turns: 25 } });
  });

  test('whoever wants next to nothing has files and the terminal, and what is chosen afterwards', async (t) => {
    await using server = await startModelServer({ models: ['small-1'] });
    const place = makePlace(t);
    place.write('.env', `LM_BASE_URL=${server.url}\n`);
    const pane = openPane(t, place, ['setup']);
    await pane.sees(/How would you like to begin\?/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Which provider\?/);
    pane.type('lm studio');
    await pane.sees(/● LM Studio/);
    pane.keys('Enter');
    await pane.sees(/Base URL of LM Studio/);
    pane.keys('Enter');
    await pane.sees(/LM_API_KEY/);
    pane.keys('Enter');
    await pane.sees(/Which model\?[^]*small-1/);
    pane.keys('Enter');
    await pane.sees(/Terminal: [^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Off: skills, memory[^]*And now\?/);
    const blank = configOf(place);
    assert.partialDeepStrictEqual(blank, {
      platform_toolsets: { cli: ['file', 'terminal'] },
      compression: { enabled: false },
      memory: { memory_enabled: false, user_profile_enabled: false },
    });
    assert.match((await hermes(place, ['tools', 'list'])).stdout, /✗ disabled {2}todo/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Bring the skills that come along\?[^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Agent: [^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Chat platforms and servers: [^]*● No/);
    pane.keys('Enter');
    await pane.sees(/Tools: terminal, file\n[^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Toolsets that are on/);
    pane.type('todo');
    await pane.sees(/Search: todo/);
    pane.keys('Tab', 'Enter');
    await pane.sees(/Ready\. Start with: hermes/);
    assert.equal(await pane.ended(), 0);
    const listed = await hermes(place, ['tools', 'list']);
    assert.match(listed.stdout, /✓ enabled {3}todo/);
    assert.match(listed.stdout, /✗ disabled {2}memory/);
    assert.equal(existsSync(join(place.home, '.no-bundled-skills')), true);
  });

  test('whoever leaves keeps the sections that were finished, and nothing of the one that was not', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', setUp);
    const pane = openPane(t, place, ['setup']);
    await pane.sees(/Model: old/);
    pane.keys('Enter');
    await pane.sees(/Terminal: [^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Where commands run/);
    pane.keys('Enter');
    await pane.sees(/Directory that commands start in/);
    pane.keys('Enter');
    await pane.sees(/Seconds a command may take/);
    pane.keys('C-u');
    pane.enter('300');
    await pane.sees(/Stored: terminal\.timeout = 300[^]*Agent: [^]*● No/);
    pane.keys('Left', 'Enter');
    await pane.sees(/Most model requests/);
    pane.keys('C-u');
    pane.enter('25');
    await pane.sees(/How much is shown/);
    pane.keys('C-c');
    await pane.sees(/What was stored stays: terminal\. Not gone through: agent, gateway, tools\. Go on with: hermes/);
    assert.equal(await pane.ended(), 0);
    assert.equal(place.read('config.yaml'), `${setUp}terminal:\n  timeout: 300\n`);
    assert.equal(place.read('.env'), 'TERMINAL_TIMEOUT=300\n');
  });

  test('what cannot be used counts as no model, and leaving at the first question changes nothing', async (t) => {
    const place = makePlace(t);
    const config = 'model:\n  provider: openrouter\n  default: some/model\n';
    place.write('config.yaml', config);
    const pane = openPane(t, place, ['setup']);
    await pane.sees(/Which provider\?/);
    pane.keys('C-c');
    await pane.sees(/Nothing was changed\. Not gone through: model, terminal, agent, gateway, tools/);
    assert.equal(await pane.ended(), 0);
    assert.equal(place.read('config.yaml'), config);
  });

  test('a choice of tools that an administrator made is shown and not asked for', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', setUp);
    place.write('managed/config.yaml', 'platform_toolsets: {cli: [file]}\n');
    const pane = openPane(t, place, ['setup'], { env: { HERMES_MANAGED_DIR: `${place.home}/managed` } });
    for (const section of [/Model: old/, /Terminal: [^]*● No/, /Agent: [^]*● No/, /Chat platforms[^]*● No/]) {
      await pane.sees(section);
      pane.keys('Enter');
    }
    await pane.sees(/Tools: file \(set by your administrator\)[^]*Nothing was changed/);
    assert.equal(await pane.ended(), 0);
  });
});

test('setup tools --reset puts the toolsets back to what comes along, and keeps a copy of the settings', async (t) => {
  const place = makePlace(t);
  place.write('config.yaml', '# mine\nagent:\n  max_turns: 7\nplatform_toolsets: {cli: [file]}\n');
  const run = ok(await hermes(place, ['setup', 'tools', '--reset', '--non-interactive']));
  assert.match(run.stdout, /^The old settings are in .*\n[^]*✓ enabled {3}terminal/);
  assert.equal(place.read('config.yaml'), '# mine\nagent:\n  max_turns: 7\n');
});

test('a toolset that is switched on is no longer switched off everywhere, unless an administrator says so', async (t) => {
  const place = makePlace(t);
  place.write('config.yaml', 'agent:\n  disabled_toolsets: [memory, todo]\n');
  assert.equal((await hermes(place, ['tools', 'enable', 'todo'])).stderr, '');
  assert.partialDeepStrictEqual(configOf(place), { agent: { disabled_toolsets: ['memory'] } });
  place.write('managed/config.yaml', 'agent: {disabled_toolsets: [memory]}\n');
  const env = { HERMES_MANAGED_DIR: `${place.home}/managed` };
  assert.match((await hermes(place, ['tools', 'enable', 'memory'], { env })).stderr, /memory stays off/);
});
