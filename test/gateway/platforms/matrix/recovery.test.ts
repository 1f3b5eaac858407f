/** Recovery keys and secrets on the homeserver. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { decodeRecoveryKey, encodeRecoveryKey } from 'matrix-js-sdk/lib/crypto-api/recovery-key.js';
import { MatrixApi } from '../../../../src/gateway/platforms/matrix/api.ts';
import { readRecoveryKey, writeRecoveryKey } from '../../../../src/gateway/platforms/matrix/crypto/recovery-key.ts';
import { SecretStorage } from '../../../../src/gateway/platforms/matrix/crypto/secret-storage.ts';
import { platform } from '../../../../src/gateway/platforms/matrix/matrix.ts';
import { robot } from '../../../fakes/matrix-server.ts';
import { openMatrix, signal } from './open-matrix.ts';

function fileIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'key');
}

test('a recovery key is written and read as other programs do, and a wrong letter is seen', () => {
  for (let count = 0; count < 50; count += 1) {
    const key = randomBytes(32);
    const written = writeRecoveryKey(key);
    assert.equal(written, encodeRecoveryKey(key));
    assert.deepEqual(Buffer.from(decodeRecoveryKey(written)), key);
    assert.deepEqual(readRecoveryKey(` ${written}\n`), key);
    const last = written.endsWith('z') ? 'y' : 'z';
    assert.equal(readRecoveryKey(written.slice(0, -1) + last), undefined);
  }
  for (const wrong of ['', 'hello', '0OIl', 'z'.repeat(5000)]) assert.equal(readRecoveryKey(wrong), undefined);
});

test('secrets are opened by their key and by no other, and not under another name', async (t) => {
  const { server } = await openMatrix(t);
  const api = new MatrixApi({ root: server.url, token: server.token, network: {}, secrets: [] });
  const key = randomBytes(32);
  assert.equal(await SecretStorage.open(api, robot.id, key, signal()), 'none');
  const storage = await SecretStorage.create(api, robot.id, key, signal());
  await storage.set('m.first', 'a secret', signal());
  assert.equal(await SecretStorage.open(api, robot.id, randomBytes(32), signal()), 'wrong');
  const opened = await SecretStorage.open(api, robot.id, key, signal());
  assert.ok(opened instanceof SecretStorage);
  assert.equal(await opened.get('m.first', signal()), 'a secret');
  assert.equal(await opened.get('m.second', signal()), undefined);
  server.accountData.set('m.second', server.accountData.get('m.first') ?? {});
  assert.equal(await opened.get('m.second', signal()), undefined);
});

test('a recovery key that is none, or none of this account, needs the operator', async (t) => {
  for (const [key, why] of [
    ['EsTc not a key', /has a letter that is wrong/],
    [writeRecoveryKey(randomBytes(32)), /the account has no recovery key/],
  ] as const) {
    const { adapter } = await openMatrix(t, { MATRIX_E2EE_MODE: 'optional', MATRIX_RECOVERY_KEY: key });
    await assert.rejects(adapter.connect(signal()), (error: Error) => {
      assert.match(error.message, why);
      assert.ok(!error.message.includes(key));
      assert.equal('retryable' in error && error.retryable, false);
      return true;
    });
  }
});

test('a new recovery key is written for its owner alone, and over nothing', async (t) => {
  const file = fileIn(t);
  const settings = { MATRIX_E2EE_MODE: 'optional', MATRIX_RECOVERY_KEY_OUTPUT_FILE: file };
  writeFileSync(file, 'something of mine');
  const first = await openMatrix(t, settings);
  await assert.rejects(first.adapter.connect(signal()), { code: 'matrix_recovery_file', retryable: false });
  assert.equal(readFileSync(file, 'utf8'), 'something of mine');
  rmSync(file);
  // What broke off goes on with the key that was written.
  const second = await openMatrix(t, settings);
  second.server.refuse('device_signing', { status: 500, errcode: 'M_UNKNOWN', error: 'Internal server error' });
  await assert.rejects(second.adapter.connect(signal()), { retryable: true });
  const key = readFileSync(file, 'utf8');
  await second.adapter.disconnect();
  const again = platform.create(second.host);
  t.after(async () => await again.disconnect());
  await again.connect(signal());
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, 'utf8'), key);
  assert.ok(readRecoveryKey(key) !== undefined);
  assert.deepEqual([...second.server.accountData.keys()].filter((name) => !name.includes('storage.key')).toSorted(), [
    'm.cross_signing.master',
    'm.cross_signing.self_signing',
    'm.cross_signing.user_signing',
    'm.megolm_backup.v1',
    'm.secret_storage.default_key',
  ]);
});

test('a homeserver that wants the password gets it, and says so where there is none', async (t) => {
  const challenge = { status: 401, error: '', session: 'abc', flows: [{ stages: ['m.login.password'] }] };
  const file = fileIn(t);
  const settings = { MATRIX_E2EE_MODE: 'optional', MATRIX_RECOVERY_KEY_OUTPUT_FILE: file };
  const without = await openMatrix(t, settings);
  without.server.refuse('device_signing', challenge);
  await assert.rejects(without.adapter.connect(signal()), { code: 'matrix_needs_password', retryable: false });
  const login = { MATRIX_ACCESS_TOKEN: '', MATRIX_USER_ID: robot.id, MATRIX_PASSWORD: robot.password };
  const withIt = await openMatrix(t, { ...settings, ...login });
  withIt.server.refuse('device_signing', challenge);
  await withIt.adapter.connect(signal());
  assert.ok(readFileSync(file, 'utf8').length > 40);
  assert.ok(!withIt.host.logged.join('\n').includes(readFileSync(file, 'utf8').trim()));
});
