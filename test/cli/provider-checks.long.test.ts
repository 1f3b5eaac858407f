/** What a person relies on when keys, addresses and fallbacks come together, seen from the command line. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { startProxy } from '../fakes/proxy-server.ts';
import { startResponsesServer } from '../fakes/responses-server.ts';
import { hermes, makePlace } from './hermes-process.ts';

suite('keys, addresses and fallbacks', { concurrency: 2 }, () => {
  test('a server of one’s own never gets the key of OpenRouter, whatever else is set', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'PONG' }) });
    const place = makePlace(t);
    place.write('config.yaml', `model: {provider: custom, base_url: '${server.url}', default: test-model}\n`);
    const env = { OPENROUTER_API_KEY: 'sk-or-v1-0123456789abcdef' };
    const run = await hermes(place, ['-z', 'ping'], { env });
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      ['Bearer no-key-required'],
    );
  });

  test('OPENAI_BASE_URL does not lead the requests for OpenRouter elsewhere', async (t) => {
    await using elsewhere = await startModelServer({ respond: () => ({ text: 'PONG' }) });
    await using proxy = await startProxy(elsewhere.port, { refuse: 403 });
    const place = makePlace(t);
    place.write('config.yaml', 'model: {provider: openrouter, default: openai/gpt-5.4}\n');
    const keys = { OPENROUTER_API_KEY: 'sk-or-v1-0123456789abcdef', OPENAI_API_KEY: 'sk-0123456789abcdef' };
    const env = { ...keys, OPENAI_BASE_URL: elsewhere.url, HTTPS_PROXY: proxy.url };
    const run = await hermes(place, ['-z', 'ping'], { env });
    assert.equal(run.code, 1);
    assert.deepEqual([...new Set(proxy.asked)], ['CONNECT openrouter.ai:443']);
    assert.equal(elsewhere.requests.length, 0);
  });

  test('an answer of the Responses format that holds nothing but reasoning is gone on with', async (t) => {
    await using server = await startResponsesServer();
    server.enqueue({ reasoning: 'I have to think first.' }, { text: 'PONG' });
    const place = makePlace(t);
    const model = { provider: 'custom', base_url: server.url, default: 'gpt-5.4', api_mode: 'codex_responses' };
    place.write('config.yaml', JSON.stringify({ model: { ...model, api_key: 'test-key' } }));
    const run = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.equal(server.requests.length, 2);
  });

  test('fallback_model of older files answers alone; beside fallback_providers the list wins', async (t) => {
    await using primary = await startModelServer({ respond: () => ({ fault: 'status', status: 401 }) });
    await using old = await startModelServer({ respond: () => ({ text: 'OLD' }) });
    await using listed = await startModelServer({ respond: () => ({ text: 'LISTED' }) });
    const entry = (url: string) => `{provider: custom, model: spare, base_url: '${url}', api_key: spare-key}`;
    const alone = makePlace(t, primary, `fallback_model: ${entry(old.url)}\n`);
    assert.equal((await hermes(alone, ['-z', 'ping'])).stdout, 'OLD\n');
    const both = `fallback_model: ${entry(old.url)}\nfallback_providers:\n  - ${entry(listed.url)}\n`;
    assert.equal((await hermes(makePlace(t, primary, both), ['-z', 'ping'])).stdout, 'LISTED\n');
    assert.deepEqual([old.requests.length, listed.requests.length], [1, 1]);
  });

  test('a password in a base URL is shown by no command, however short it is', async (t) => {
    const place = makePlace(t);
    const model = { provider: 'custom', base_url: 'http://ann:pw7@127.0.0.1:9/v1', default: 'm', api_key: 'k' };
    place.write('config.yaml', JSON.stringify({ model }));
    for (const args of [
      ['-z', 'ping'],
      ['status'],
      ['doctor'],
      ['dump'],
      ['config', 'show'],
      ['config', 'get', 'model.base_url'],
      ['auth', 'list'],
      ['debug', 'share', '--local'],
    ]) {
      const run = await hermes(place, args);
      assert.doesNotMatch(run.stdout + run.stderr, /pw7/, args.join(' '));
    }
  });
});
