import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { test, type TestContext } from 'node:test';
import { apiOptions } from '../../../../src/gateway/platforms/telegram/endpoints.ts';
import { Fallback } from '../../../../src/gateway/platforms/telegram/fallback.ts';
import { telegramSettings, type TelegramSettings } from '../../../../src/gateway/platforms/telegram/settings.ts';

const known: LookupFunction = (name, _options, resolve) => resolve(null, [{ address: `of ${name}`, family: 4 }]);
const unknown: LookupFunction = (_name, _options, resolve) =>
  resolve(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '');

/** The addresses, or the code of the error. */
function resolved(lookup: LookupFunction, name: string): readonly string[] | string | undefined {
  let result: readonly string[] | string | undefined;
  lookup(name, { all: true }, (error, found) => {
    result = error?.code ?? (Array.isArray(found) ? found.map(({ address }) => address) : found);
  });
  return result;
}

function fallback(lookup: LookupFunction, addresses: readonly string[], resolvers: readonly string[] = []): Fallback {
  return new Fallback({ host: 'api.test', addresses, resolvers, network: {}, systemLookup: lookup });
}

/** Answers what it is asked with this. */
async function resolver(t: TestContext, answer: string): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`, asked };
}

test('the addresses of the name come first, the others behind them, once each', () => {
  assert.deepEqual(resolved(fallback(known, ['1.1.1.1', 'of api.test']).lookup, 'api.test'), [
    'of api.test',
    '1.1.1.1',
  ]);
});

test('a name that nobody knows is found all the same; others are not', () => {
  const { lookup } = fallback(unknown, ['1.1.1.1']);
  assert.deepEqual(resolved(lookup, 'api.test'), ['1.1.1.1']);
  assert.equal(resolved(lookup, 'other.test'), 'ENOTFOUND');
  assert.equal(resolved(fallback(unknown, []).lookup, 'api.test'), 'ENOTFOUND');
});

test('the address that has answered is tried first from then on', () => {
  const ways = fallback(known, ['1.1.1.1', '2.2.2.2']);
  ways.answered('2.2.2.2');
  assert.deepEqual(resolved(ways.lookup, 'api.test'), ['2.2.2.2', 'of api.test', '1.1.1.1']);
});

test('other addresses are asked for over HTTPS once, and only addresses are taken', async (t) => {
  const records = [
    { name: 'api.test', type: 5, data: 'elsewhere.test.' },
    { name: 'elsewhere.test', type: 1, data: '3.3.3.3' },
    { name: 'elsewhere.test', type: 1, data: 'evil.test' },
    { name: 'elsewhere.test', type: 1, data: '1.1.1.1' },
  ];
  const good = await resolver(t, JSON.stringify({ Status: 0, Answer: records }));
  const bad = await resolver(t, '<html>');
  const long = await resolver(t, 'x'.repeat(1_000_000));
  const ways = fallback(unknown, ['1.1.1.1'], [bad.url, long.url, good.url]);
  assert.equal(await ways.ask(AbortSignal.timeout(30_000)), true);
  assert.deepEqual(resolved(ways.lookup, 'api.test'), ['3.3.3.3', '1.1.1.1']);
  assert.equal(await ways.ask(AbortSignal.timeout(30_000)), false);
  assert.deepEqual(good.asked, ['/dns-query?name=api.test&type=A']);
});

test('who names addresses, a server or a proxy of their own, or wants none, has nobody asked', () => {
  const settings = telegramSettings.parse({});
  const ways = (more: Partial<TelegramSettings>) => apiOptions('1:a', { ...settings, ...more }, {}).fallback;
  assert.notEqual(ways({}), undefined);
  assert.equal(ways({ base_url: 'http://localhost:8081' }), undefined);
  assert.equal(ways({ proxy: 'http://localhost:3128' }), undefined);
  assert.equal(ways({ disable_fallback_ips: true }), undefined);
});
