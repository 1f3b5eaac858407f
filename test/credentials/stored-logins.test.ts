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
