/** `hermes model` and `hermes setup` in a real terminal: what the answers come to, and that nothing is kept before the last. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { startModelServer } from '../fakes/model-server.ts';
import { noTmux, openPane } from '../interactive/tmux.ts';
import { makePlace, type Place } from './hermes-process.ts';

const models = ['small-1', 'big-coder-2', 'other-3'];

function configOf(place: Place): Record<string, unknown> {
  return parse(place.read('config.yaml')) as Record<string, unknown>;
}

suite('hermes model in a terminal', { concurrency: 2, skip: noTmux }, () => {
  test('a custom endpoint is asked for, saved with a name, and its key goes to .env', async (t) => {
    await using server = await startModelServer({ models, apiKey: 'secret-key-of-mine-1234' });
    const place = makePlace(t);
    const pane = openPane(t, place, ['model']);
    await pane.sees(/Which provider\?/);
    pane.type('custom endp');
    await pane.sees(/Custom endpoint/);
    pane.keys('Enter');
    await pane.sees(/Base URL/);
    pane.enter(server.url);
    await pane.sees(/A name for it/);
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
    pane.enter('128k');
    const screen = await pane.sees(/Stored: big-coder-2/);
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
  });
});
