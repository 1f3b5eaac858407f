/** One key that was refused for long: later processes ask the model that stands by, and nobody is locked out. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace } from './hermes-process.ts';

const chain = (spare: ModelServer): string =>
  `fallback_providers:\n  - {provider: custom, model: spare, base_url: ${spare.url}, api_key: another}\n`;
const refusals = [
  { name: 'out of credit', step: { fault: 'status', status: 402 } },
  { name: 'a limit for the day', step: { fault: 'status', status: 429, headers: { 'retry-after': '7200' } } },
] as const;

suite('a lone key', { concurrency: 2 }, () => {
  for (const { name, step } of refusals) {
    test(`${name}: the next start asks the fallback at once, until the rest is ended or the fallback is gone`, async (t) => {
      await using primary = await startModelServer({ respond: () => ({ text: 'PRIMARY' }) });
      await using spare = await startModelServer({ respond: () => ({ text: 'SPARE' }) });
      primary.enqueue(step);
      const place = makePlace(t, primary, chain(spare));
      const ask = async () => {
        const run = await hermes(place, ['-z', 'ping']);
        return [run.code, run.stdout, primary.requests.length];
      };
      assert.deepEqual(await ask(), [0, 'SPARE\n', 1]);
      const second = await hermes(place, ['-z', 'ping']);
      assert.deepEqual([second.stdout, primary.requests.length], ['SPARE\n', 1]);
      assert.doesNotMatch(place.read('cache/provider_findings.json'), /test-key/);
      const reset = await hermes(place, ['auth', 'reset', 'custom']);
      assert.match(reset.stdout, /1 credential of custom can be used again/);
      assert.deepEqual(await ask(), [0, 'PRIMARY\n', 2]);

      primary.enqueue(step);
      assert.deepEqual(await ask(), [0, 'SPARE\n', 3]);
      place.write('config.yaml', place.read('config.yaml').replace(/fallback_providers:\n.*\n/, ''));
      assert.deepEqual(await ask(), [0, 'PRIMARY\n', 4]);
      place.write('config.yaml', place.read('config.yaml') + chain(spare));
      // It answered meanwhile, so it does not rest any more.
      assert.deepEqual(await ask(), [0, 'PRIMARY\n', 5]);
    });
  }

  test('a limit of a moment is no rest, and neither is a fault of the server', async (t) => {
    await using primary = await startModelServer({ respond: () => ({ text: 'PRIMARY' }) });
    await using spare = await startModelServer({ respond: () => ({ text: 'SPARE' }) });
    const place = makePlace(t, primary, chain(spare));
    for (const status of [429, 401, 404]) {
      primary.enqueue({ fault: 'status', status });
      assert.equal((await hermes(place, ['-z', 'ping'])).stdout, 'SPARE\n', `${status}`);
      assert.equal((await hermes(place, ['-z', 'ping'])).stdout, 'PRIMARY\n', `${status}`);
    }
  });

  test('a fallback that cannot be had does not keep the primary from being asked', async (t) => {
    await using primary = await startModelServer({ respond: () => ({ text: 'PRIMARY' }) });
    primary.enqueue({ fault: 'status', status: 402 });
    const place = makePlace(t, primary, 'fallback_providers:\n  - {provider: nosuch, model: spare}\n');
    assert.equal((await hermes(place, ['-z', 'ping'])).code, 1);
    const second = await hermes(place, ['-z', 'ping']);
    assert.deepEqual([second.code, second.stdout], [0, 'PRIMARY\n']);
  });
});
