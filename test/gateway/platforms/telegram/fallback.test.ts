import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { lookupWithFallback } from '../../../../src/gateway/platforms/telegram/fallback.ts';

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

test('the addresses of the name come first, the others behind them, once each', () => {
  assert.deepEqual(resolved(lookupWithFallback('api.test', ['1.1.1.1', 'of api.test'], known), 'api.test'), [
    'of api.test',
    '1.1.1.1',
  ]);
});

test('a name that nobody knows is found all the same; others are not', () => {
  const lookup = lookupWithFallback('api.test', ['1.1.1.1'], unknown);
  assert.deepEqual(resolved(lookup, 'api.test'), ['1.1.1.1']);
  assert.equal(resolved(lookup, 'other.test'), 'ENOTFOUND');
  assert.equal(resolved(lookupWithFallback('api.test', [], unknown), 'api.test'), 'ENOTFOUND');
});
