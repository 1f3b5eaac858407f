/** Every spelling of an address that no model, page or message may make us ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseWebAddress } from '../../src/safety/web-address.ts';
import { hostileAddresses } from './corpora/addresses.ts';

test('no spelling of a private address, and no other scheme, is asked', () => {
  assert.deepEqual(
    hostileAddresses.filter((address) => refuseWebAddress(address) === undefined),
    [],
  );
  assert.ok(hostileAddresses.length >= 80);
});

test('public addresses that look a little like them are asked', () => {
  const everyday = [
    'https://example.org/',
    'https://localhost.example.org/',
    'https://127.0.0.1.example.org/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://[2606:4700::1111]/',
    'https://internal.example.org:8443/a?b=http://127.0.0.1/',
  ];
  assert.deepEqual(
    everyday.filter((address) => refuseWebAddress(address) !== undefined),
    [],
  );
});
