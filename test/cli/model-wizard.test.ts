/** `hermes model` and `hermes setup` in a real terminal: what the answers come to, and that nothing is kept before the last. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { startModelServer } from '../fakes/model-server.ts';
import { noTmux, openPane, type Pane } from './interactive/tmux.ts';
import { hermes, makePlace, type Place } from './hermes-process.ts';

const models = ['small-1', 'big-coder-2', 'other-3'];

function configOf(place: Place): Record<string, unknown> {
  return parse(place.read('config.yaml')) as Record<string, unknown>;
}

/** `hermes model`, where a name is asked for the custom endpoint `url`. */
async function openAtName(t: TestContext, place: Place, url: string): Promise<Pane> {
  const pane = openPane(t, place, ['model']);
  await pane.sees(/Which provider\?/);
  pane.type('custom endp');
  await pane.sees(/● New custom endpoint/);
  pane.keys('Enter');
  await pane.sees(/Base URL/);
  pane.enter(url);
  await pane.sees(/A name for it/);
  return pane;
}

suite('hermes model in a terminal', { concurrency: 2, skip: noTmux }, () => {
  test('a custom endpoint is asked for, saved with a name, and its key goes to .env', async (t) => {
    await using server = await startModelServer({ models, apiKey: 'secret-key-of-mine-1234' });
    const place = makePlace(t);
    const pane = await openAtName(t, place, server.url);
    pane.keys('C-u');
    pane.enter('My Box');
    await pane.sees(/API key \(Enter for none\)/);
    pane.enter('secret-key-of-mine-1234');
    await pane.sees(/Wire format/);
    pane.keys('Enter');
    await pane.sees(/Which model\?[^]*other-3/);
    pane.type('coder');
    await pane.sees(/coder[^]*big-coder-2/);
    pane.keys('Enter');
    await pane.sees(/Context length/);
    assert.equal(existsSync(join(place.home, 'config.yaml')), false, 'nothing is stored before the last answer');
    assert.equal(existsSync(join(place.home, '.env')), false);
    server.enqueue({ text: 'OK' });
    pane.enter('128k');
    const screen = await pane.sees(/big-coder-2 answered[^]*Stored: big-coder-2/);
    assert.equal(await pane.ended(), 0);
    assert.doesNotMatch(screen, /secret-key-of-mine/);
    assert.deepEqual(configOf(place)['model'], {
      provider: 'custom:my-box',
      default: 'big-coder-2',
      base_url: server.url,
    });
    assert.deepEqual(configOf(place)['custom_providers'], [
      {
        name: 'My Box',
        base_url: server.url,
        key_env: 'CUSTOM_MY_BOX_API_KEY',
        model: 'big-coder-2',
        models: { 'big-coder-2': { context_length: 131_072 } },
      },
    ]);
    assert.match(place.read('.env'), /^CUSTOM_MY_BOX_API_KEY=secret-key-of-mine-1234$/m);
    assert.doesNotMatch(place.read('config.yaml'), /secret-key/);
    server.enqueue({ text: 'PONG' });
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.equal(server.requests.at(-1)?.body.model, 'big-coder-2');
  });

  test('an endpoint is tried before it is stored: a wrong key is told and asked for again, a missing /v1 is offered', async (t) => {
    await using server = await startModelServer({
      models,
      apiKey: 'the-right-key-1234',
      respond: ({ path }) =>
        path.startsWith('/v1/') ? { text: 'OK' } : { fault: 'status', status: 404, body: 'Not Found' },
    });
    const place = makePlace(t);
    const pane = await openAtName(t, place, server.url);
    pane.enter('');
    await pane.sees(/API key \(Enter for none\)/);
    pane.enter('bad');
    await pane.sees(/too short for a key/);
    pane.keys('C-u');
    pane.enter('the-wrong-key-1234');
    await pane.sees(/Wire format/);
    pane.keys('Enter');
    await pane.sees(/could not be fetched[^]*Which model\?/);
    pane.enter('small-1');
    await pane.sees(/Context length/);
    pane.enter('');
    await pane.sees(/401[^]*Nothing is stored yet/);
    assert.equal(existsSync(join(place.home, 'config.yaml')), false);
    pane.keys('Enter');
    await pane.sees(/Nothing is stored yet[^]*Base URL/);
    pane.keys('C-u');
    pane.enter(server.url.replace('/v1', ''));
    await pane.sees(/Nothing is stored yet[^]*A name for it/);
    pane.enter('');
    await pane.sees(/Enter keeps the one you gave/);
    pane.enter('the-right-key-1234');
    await pane.sees(/Nothing is stored yet[^]*Wire format/);
    pane.keys('Enter');
    await pane.sees(/Nothing is stored yet[^]*Which model\?/);
    pane.keys('C-u');
    pane.enter('small-1');
    await pane.sees(/Nothing is stored yet[^]*Context length/);
    pane.enter('');
    await pane.sees(/does not answer at[^]*but it does at [^]*Yes/);
    pane.keys('Enter');
    await pane.sees(/Stored: small-1/);
    assert.equal(await pane.ended(), 0);
    assert.partialDeepStrictEqual(configOf(place)['model'], { default: 'small-1', base_url: server.url });
    assert.match(place.read('.env'), /=the-right-key-1234$/m);
  });

  test('Ctrl+C at any question leaves all as it was', async (t) => {
    await using server = await startModelServer({ models });
    const place = makePlace(t);
    place.write(
      'config.yaml',
      '# mine\nmodel:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: old\n',
    );
    place.write('.env', 'A_SETTING=1\n');
    const before = [place.read('config.yaml'), place.read('.env')];
    const steps: [answer: string, question: RegExp][] = [
      ['', /Which provider\?/],
      ['new custom', /Base URL/],
      [server.url, /A name for it/],
      ['', /API key/],
      ['a-secret-key-1', /Wire format/],
      ['', /Which model\?/],
      ['small', /Context length/],
    ];
    for (const stop of [1, 3, 6, 7]) {
      const pane = openPane(t, place, ['model']);
      for (const [answer, question] of steps.slice(0, stop)) {
        if (answer.startsWith('new')) {
          pane.type(answer);
          await pane.sees(/● New custom/);
          pane.keys('Enter');
        } else if (question !== steps[0]?.[1]) pane.enter(answer);
        await pane.sees(question);
      }
      pane.keys('C-c');
      await pane.sees(/Nothing was changed/);
      assert.equal(await pane.ended(), 0);
      assert.deepEqual([place.read('config.yaml'), place.read('.env')], before, `stopped at question ${stop}`);
      pane.close();
    }
  });

  test('a provider with a key: the current one comes first, a typed name is free, the old endpoint goes', async (t) => {
    const place = makePlace(t);
    place.write(
      'config.yaml',
      '# mine\nmodel:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: old\n  api_key: key-of-the-old-one\n  context_length: 70000\nagent:\n  max_turns: 7\n',
    );
    // Nothing listens there: the list falls back to what is known.
    place.write('.env', 'DEEPSEEK_BASE_URL=http://127.0.0.1:9/v1\n');
    const pane = openPane(t, place, ['model']);
    const screen = await pane.sees(/Which provider\?[^]*confirm/);
    assert.match(screen, /● Custom endpoint \(current\)/);
    pane.type('deepse');
    await pane.sees(/● DeepSeek/);
    pane.keys('Enter');
    await pane.sees(/DEEPSEEK_API_KEY/);
    pane.enter('deepseek-own-key-0001');
    await pane.sees(/list of models could not be fetched[^]*Which model\?[^]*deepseek-chat/);
    pane.type('deepseek-v99-new');
    await pane.sees(/● Use "deepseek-v99-new"/);
    pane.keys('Enter');
    await pane.sees(/Stored: deepseek-v99-new \(deepseek\)/);
    assert.equal(await pane.ended(), 0);
    assert.deepEqual(configOf(place), {
      model: { provider: 'deepseek', default: 'deepseek-v99-new' },
      agent: { max_turns: 7 },
    });
    assert.match(place.read('config.yaml'), /^# mine/);
    assert.match(place.read('.env'), /^DEEPSEEK_API_KEY=deepseek-own-key-0001$/m);
  });

  test('the key that is there stays with Enter, and goes only to its own list', async (t) => {
    await using server = await startModelServer({ models: ['one', 'two'], apiKey: 'lm-key-00001' });
    const place = makePlace(t);
    place.write('.env', 'LM_API_KEY=lm-key-00001\nOPENROUTER_API_KEY=sk-or-v1-not-for-others-1\n');
    const pane = openPane(t, place, ['setup', 'model']);
    await pane.sees(/OpenRouter \(configured\)/);
    pane.type('lm studio');
    await pane.sees(/● LM Studio \(configured\)/);
    pane.keys('Enter');
    await pane.sees(/Base URL of LM Studio/);
    pane.keys('C-u');
    pane.enter(server.url);
    await pane.sees(/LM_API_KEY \(Enter keeps the stored one\)/);
    pane.keys('Enter');
    await pane.sees(/Which model\?[^]*two/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Stored: two \(lmstudio\)/);
    assert.equal(await pane.ended(), 0);
    assert.deepEqual(configOf(place)['model'], { provider: 'lmstudio', default: 'two', base_url: server.url });
    assert.equal(place.read('.env'), 'LM_API_KEY=lm-key-00001\nOPENROUTER_API_KEY=sk-or-v1-not-for-others-1\n');
  });

  test('what an administrator pinned is shown and neither asked for nor written', async (t) => {
    await using server = await startModelServer({ models });
    const place = makePlace(t);
    const managed = String(place.env['HERMES_MANAGED_DIR']);
    writeFileSync(join(managed, 'config.yaml'), `model:\n  provider: lmstudio\n  base_url: ${server.url}\n`);
    writeFileSync(join(managed, '.env'), 'LM_API_KEY=pinned-key-000001\n');
    const pane = openPane(t, place, ['model']);
    const screen = await pane.sees(/Which model\?[^]*other-3/);
    assert.match(screen, /Provider: lmstudio \(set by your administrator/);
    assert.match(screen, /LM_API_KEY \(set by your administrator/);
    assert.doesNotMatch(screen, /pinned-key/);
    pane.type('other');
    await pane.sees(/● other-3/);
    pane.keys('Enter');
    await pane.sees(/Stored: other-3/);
    assert.equal(await pane.ended(), 0);
    assert.deepEqual(configOf(place), { model: { default: 'other-3' }, _config_version: 33 });
    assert.equal(existsSync(join(place.home, '.env')), false);
  });

  test('models of side tasks are chosen row by row and stored together', async (t) => {
    const place = makePlace(t);
    const plugged = 'plugins:\n  enabled: [notes]\n';
    place.write(
      'config.yaml',
      `${plugged}auxiliary:\n  vision:\n    base_url: http://localhost:9/v1\n    timeout: 33\n`,
    );
    place.write('plugins/notes/plugin.yaml', 'version: 1\n');
    place.write(
      'plugins/notes/index.mjs',
      "export default (ctx) => ctx.registerAuxiliaryTask('sift_mail', 'Sift mail');",
    );
    const pane = openPane(t, place, ['model']);
    await pane.sees(/Which provider\?/);
    pane.type('auxiliary');
    await pane.sees(/● Configure auxiliary models/);
    pane.keys('Enter');
    await pane.sees(/vision: currently http:\/\/localhost:9\/v1[^]*compression: currently auto/);
    pane.type('vision');
    await pane.sees(/● vision/);
    pane.keys('Enter');
    await pane.sees(/Which provider for vision\?/);
    pane.type('openrouter');
    await pane.sees(/● OpenRouter/);
    pane.keys('Enter');
    await pane.sees(/Which model for vision\?/);
    pane.keys('Enter');
    await pane.sees(/vision: currently openrouter/);
    assert.match(place.read('config.yaml'), /localhost:9/, 'nothing is stored before the last answer');
    pane.type('sift');
    await pane.sees(/● sift_mail: currently auto \(Sift mail\)/);
    pane.keys('Enter');
    await pane.sees(/Which provider for sift_mail\?/);
    pane.keys('Down');
    await pane.sees(/● Main model/);
    pane.keys('Enter');
    await pane.sees(/│  Main model[^]*● Done/);
    pane.keys('Enter');
    await pane.sees(/Stored: vision: openrouter, sift_mail: main model/);
    assert.equal(await pane.ended(), 0);
    assert.deepEqual(configOf(place), {
      plugins: { enabled: ['notes'] },
      auxiliary: { vision: { timeout: 33, provider: 'openrouter' }, sift_mail: { provider: 'main' } },
    });
  });

  test('setup --quick asks only for what is missing', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'model:\n  provider: openrouter\n  default: some/model\n');
    const missing = openPane(t, place, ['setup', '--quick']);
    await missing.sees(/OPENROUTER_API_KEY/);
    missing.enter('sk-or-v1-quick-key-0001');
    await missing.sees(/Stored: some\/model \(openrouter\)/);
    assert.equal(await missing.ended(), 0);
    const nothing = openPane(t, place, ['setup', '--quick']);
    await nothing.sees(/Nothing is missing: some\/model \(openrouter\)/);
    assert.equal(await nothing.ended(), 0);
  });
});

suite('hermes model and setup without a terminal', { concurrency: 2 }, () => {
  test('say in one go how to do the same, and change nothing', async (t) => {
    const place = makePlace(t);
    for (const args of [['model'], ['setup'], ['setup', '--quick']]) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stdout], [1, ''], args.join(' '));
      assert.match(run.stderr, /needs a terminal[^]*hermes config set model\.provider/);
    }
    assert.equal(existsSync(join(place.home, 'config.yaml')), false);
  });

  test('setup --non-interactive takes the provider of the key that is set', async (t) => {
    const place = makePlace(t);
    const none = await hermes(place, ['setup', '--non-interactive']);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /hermes config set OPENROUTER_API_KEY/);
    const env = { OPENROUTER_API_KEY: 'sk-or-v1-abcdefghijk-0001' };
    const run = await hermes(place, ['setup', '--non-interactive'], { env });
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.deepEqual(configOf(place), {
      model: { provider: 'openrouter', default: 'openrouter/auto' },
      _config_version: 33,
    });
  });

  test('setup model --reset forgets what was said about the model, and keeps the rest and a copy', async (t) => {
    const place = makePlace(t);
    const old = 'model:\n  provider: custom\n  base_url: http://localhost:9/v1\n  default: x\nagent:\n  max_turns: 7\n';
    place.write('config.yaml', old);
    place.write('.env', 'OPENROUTER_API_KEY=sk-or-v1-abcdefghijk-0001\n');
    const run = await hermes(place, ['setup', 'model', '--reset', '--non-interactive']);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.deepEqual(configOf(place), {
      agent: { max_turns: 7 },
      model: { provider: 'openrouter', default: 'openrouter/auto' },
    });
    const copy = /The old settings are in (.*)/.exec(run.stdout)?.[1] ?? '';
    assert.equal(readFileSync(copy, 'utf8'), old);
  });
});
