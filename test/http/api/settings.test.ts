/** Who may ask the API server, and where it listens: from files, variables, and changes while it runs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiServerSettings, keyProblem } from '../../../src/config/api-server.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { startApiServer } from '../../../src/http/api/start-api-server.ts';
import { UserError } from '../../../src/lib/errors.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { placeFor } from '../../runtime/support.ts';
import { apiConfig, startApi, until } from './support.ts';

test('without a key, with a placeholder or with a short one it does not start', async (t) => {
  for (const key of ['', 'your_api_key_here_please', 'x'.repeat(15)]) {
    const program = await placeFor(t, undefined, `platforms: {api_server: {extra: {key: "${key}", port: 0}}}\n`).open();
    await assert.rejects(startApiServer(program), UserError, key);
  }
  assert.equal(keyProblem('0123456789abcdef'), undefined);
});

test('a value of the file beats the variable, the block of the platform the one of the gateway', async (t) => {
  const place = temporaryHome(t);
  place.write(
    'config.yaml',
    'gateway: {platforms: {api_server: {extra: {port: 1, model_name: below}}}}\nplatforms: {api_server: {extra: {port: 2}}}\n',
  );
  const env = {
    API_SERVER_ENABLED: 'yes',
    API_SERVER_PORT: '3',
    API_SERVER_KEY: 'from-the-shell-0123',
    API_SERVER_CORS_ORIGINS: 'http://a, http://b',
    API_SERVER_MODEL_NAME: 'shell',
  };
  const settings = apiServerSettings(await loadConfig(place), env, 'default');
  assert.deepEqual(
    { ...settings },
    {
      enabled: true,
      host: '127.0.0.1',
      port: 2,
      key: 'from-the-shell-0123',
      corsOrigins: ['http://a', 'http://b'],
      allowedHosts: [],
      modelName: 'below',
      aliases: {},
      maxTurns: 10,
    },
  );
  const named = apiServerSettings(await loadConfig(temporaryHome(t)), {}, 'work');
  assert.deepEqual([named.enabled, named.modelName, named.port], [false, 'work', 8642]);
});

test('a key that is changed in .env counts within seconds', async (t) => {
  const home = temporaryHome(t);
  const [first, second] = ['first-0123456789abcdef', 'second-0123456789abcdef'];
  home.write('.env', `API_SERVER_KEY=${first}\n`);
  const config = 'platforms: {api_server: {extra: {port: 0}}}\n';
  const program = await placeFor(t, undefined, config, { home, env: { API_SERVER_KEY: first } }).open();
  const server = await startApiServer(program);
  t.after(() => server.stop());
  const { url } = server;
  const status = async (key: string) =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await status(first), 200);
  home.write('.env', `API_SERVER_KEY=${second}\n`);
  await until(async () => (await status(second)) === 200);
  assert.equal(await status(first), 401);
});

test('a key that is changed on disk counts within seconds, and a broken file changes nothing', async (t) => {
  const { url, place } = await startApi(t);
  const status = async (key: string) =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  const path = join(place.homePath, 'config.yaml');
  const fresh = 'another-key-0123456789';
  writeFileSync(path, apiConfig('{}').replace(/key: [^,]+,/, `key: ${fresh},`));
  await until(async () => (await status(fresh)) === 200);
  assert.equal(await status('k-0123456789abcdef'), 401);
  writeFileSync(path, 'platforms: {{{');
  await until(async () => {
    assert.equal(await status(fresh), 200);
    return place.read('logs/agent.log').includes('could not be read again');
  });
  writeFileSync(path, apiConfig('{}').replace(/key: [^,]+,/, 'key: short,'));
  await until(async () => (await status(fresh)) === 401);
  assert.equal(await status('short'), 401);
});
