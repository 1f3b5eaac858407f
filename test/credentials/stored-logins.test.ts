/** Which providers `auth.json` speaks for. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storedLogins } from '../../src/credentials/stored-logins.ts';

test('a login or a key counts; what only names a key elsewhere, or has ended, does not', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-logins-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'auth.json');
  const logins = storedLogins(path);
  assert.deepEqual([logins.active(), logins.has('nous')], [undefined, false]);
  writeFileSync(
    path,
    JSON.stringify({
      version: 1,
      active_provider: 'nous',
      providers: { 'xai-oauth': { tokens: { access_token: 'left-by-an-older-version' } } },
      credential_pool: {
        nous: [{ id: 'a', source: 'device_code', access_token: 'ended', last_status: 'dead' }],
        deepseek: [{ id: 'b', source: 'manual', access_token: 'a-key' }],
        openrouter: [{ id: 'c', source: 'env:OPENROUTER_API_KEY', secret_fingerprint: 'sha256:0123456789abcdef' }],
      },
    }),
  );
  assert.equal(logins.active(), 'nous');
  const names = ['nous', 'deepseek', 'openrouter', 'xai-oauth', 'gemini'];
  assert.deepEqual(
    names.filter((name) => logins.has(name)),
    ['deepseek', 'xai-oauth'],
  );
});

test('a login is told with what its token says of itself; a key is none, and neither is one that has ended', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-logins-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'auth.json');
  const token = `e30.${Buffer.from('{"paid_access":true}').toString('base64url')}.x`;
  const login = { id: 'a', source: 'device_code', auth_type: 'oauth', access_token: token };
  const of = (nous: object[], providers = {}) => {
    writeFileSync(path, JSON.stringify({ version: 1, providers, credential_pool: { nous } }));
    return storedLogins(path).login('nous');
  };
  const key = { id: 'b', source: 'manual', auth_type: 'api_key', access_token: token };
  assert.deepEqual(of([key, login]), { claims: { paid_access: true } });
  assert.deepEqual(of([{ ...login, access_token: 'opaque' }]), { claims: undefined });
  assert.deepEqual(of([key]), undefined);
  assert.deepEqual(of([{ ...login, last_status: 'dead' }], { nous: { access_token: token } }), undefined);
  assert.deepEqual(of([], { nous: { access_token: token } }), { claims: { paid_access: true } });
});
