/** `hermes proxy`, as it is typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as proxy from '../../src/cli/commands/proxy.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { runCommand } from './config/run-command.ts';

const login = {
  id: 'login0',
  auth_type: 'oauth',
  priority: 0,
  source: 'manual:device_code',
  access_token: 'xai-access-token-0001',
  expires_at: '2100-01-01T00:00:00.000Z',
};
const signedIn = JSON.stringify({ version: 1, credential_pool: { 'xai-oauth': [login] } });

test('without a login, with one that has ended, and for an unknown provider it is wrong usage', async (t) => {
  const place = temporaryHome(t);
  const none = await runCommand(proxy, place, 'start');
  assert.equal(none.exitCode, 2);
  assert.match(none.stderr, /Not logged in to Nous Portal[^]*hermes auth add nous/);
  const unknown = await runCommand(proxy, place, 'start', '--provider', 'openai');
  assert.equal(unknown.exitCode, 2);
  assert.match(unknown.stderr, /'openai'[^]*nous, xai/);
  place.write('auth.json', signedIn.replace('"priority"', '"last_status":"dead","priority"'));
  assert.equal((await runCommand(proxy, place, 'start', '--provider', 'xai')).exitCode, 2);
});

test('a port that is taken ends it; the key for programs was made by then, and is shown nowhere', async (t) => {
  const place = temporaryHome(t);
  place.write('auth.json', signedIn);
  await using taken = await startJsonServer();
  const { port } = new URL(taken.url);
  const run = await runCommand(proxy, place, 'start', '--provider', 'XAI', '--port', port);
  assert.equal(run.exitCode, 1);
  assert.match(run.stderr, /the port is in use/);
  const [, key = ''] = /^HERMES_PROXY_TOKEN=(\S{40,})$/m.exec(place.read('.env')) ?? [];
  assert.notEqual(key, '');
  assert.ok(!run.stderr.includes(key) && !run.stdout.includes(key));
  await runCommand(proxy, place, 'start', '--provider', 'xai', '--port', port);
  assert.match(place.read('.env'), new RegExp(`^HERMES_PROXY_TOKEN=${key}$`, 'm'));
});

test('status says whose login is ready and until when, and providers what can be asked there', async (t) => {
  const place = temporaryHome(t);
  place.write('auth.json', signedIn);
  const { stdout } = await runCommand(proxy, place, 'status');
  assert.match(stdout, /^nous +Nous Portal: not logged in$/m);
  assert.match(stdout, /^xai +xAI Grok OAuth: ready \(until 2100-01-01T00:00:00\.000Z\)$/m);
  const { stdout: listed } = await runCommand(proxy, place, 'providers');
  assert.match(listed, /^nous .*\/v1\/chat\/completions.*\/v1\/models$/m);
  assert.match(listed, /^xai .*\/v1\/responses/m);
});
