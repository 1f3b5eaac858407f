/** xAI speaks for whoever is logged in to it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import { speechAccess } from '../../src/runtime/speech-access.ts';
import { speak } from '../../src/speech/speak.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type JsonAnswer, startJsonServer } from '../fakes/json-server.ts';
import { accessWith, patience } from './support.ts';

const token = 'xai-access-token-0001';
const login = {
  auth_type: 'oauth',
  id: 'a1b2c3',
  label: 'me',
  priority: 0,
  source: 'manual:oauth',
  access_token: token,
};
const stored = { version: 1, credential_pool: { 'xai-oauth': [{ ...login, expires_at: '2100-01-01T00:00:00.000Z' }] } };
const sound = { body: Buffer.from('sound') };

/** What comes of it, and with which keys the service was asked. */
async function speakLoggedIn(
  t: TestContext,
  answer: JsonAnswer,
  { xai = {}, variables = {} }: { readonly xai?: object; readonly variables?: Record<string, string> } = {},
) {
  const server = await startJsonServer({ 'POST /v1/tts': answer });
  t.after(() => server[Symbol.asyncDispose]());
  const { home, env: bare, write } = temporaryHome(t);
  write('auth.json', JSON.stringify(stored));
  write('config.yaml', JSON.stringify({ tts: { provider: 'xai', xai } }).replaceAll('{server}', server.url));
  const env = { ...bare, HERMES_XAI_BASE_URL: `${server.url}/v1`, ...variables };
  const config = await loadConfig({ home, env });
  const program = await openProgram({ home, env, config, cwd: home.path });
  t.after(() => program.close());
  const access = speechAccess({ home, env, config, models: program.models });
  const made = await speak('Hello.', 'mp3', access, patience()).then(
    ({ bytes }) => Buffer.from(bytes).toString(),
    ({ message }: Error) => message,
  );
  return { made, keys: server.requests.map(({ headers }) => headers.authorization) };
}

test('a login is enough, and goes before a key of the environment', async (t) => {
  const alone = await speakLoggedIn(t, sound);
  assert.deepEqual(alone, { made: 'sound', keys: [`Bearer ${token}`] });
  const both = await speakLoggedIn(t, sound, { variables: { XAI_API_KEY: 'xai-0123456789abcdef' } });
  assert.deepEqual(both.keys, [`Bearer ${token}`]);
});

test('what stands under tts.xai is what is meant: the login goes to no other address', async (t) => {
  const { made, keys } = await speakLoggedIn(t, sound, {
    xai: { base_url: '{server}/v1', api_key: 'own-key-0123456789' },
  });
  assert.deepEqual([made, keys], ['sound', ['Bearer own-key-0123456789']]);
  const bare = await speakLoggedIn(t, sound, { xai: { base_url: '{server}/v1' } });
  assert.match(bare.made, /^tts\.xai\.api_key is not set; XAI_API_KEY is not sent to 127\.0\.0\.1:\d+\.$/);
  assert.deepEqual(bare.keys, []);
});

test('a login that is refused is told without its token', async (t) => {
  const { made } = await speakLoggedIn(t, { status: 403, body: { error: `no plan for ${token}` } });
  assert.match(made, /^xAI: status 403: no plan for /);
  assert.doesNotMatch(made, new RegExp(token));
});

test('one that is renewed when it is refused speaks once', async (t) => {
  const server = await startJsonServer({
    'POST /tts': ({ headers }) => (headers.authorization === 'Bearer new' ? sound : { status: 401, body: {} }),
  });
  t.after(() => server[Symbol.asyncDispose]());
  const access = await accessWith(t, { provider: 'xai', xai: { api_key: 'k' } });
  const { output } = access;
  assert.ok(output.kind === 'speaker');
  const keys = ['old', 'new'];
  const reports: unknown[] = [];
  const speech = await speak(
    'Hello.',
    'mp3',
    {
      ...access,
      output: { kind: 'speaker', speaker: { ...output.speaker, login: true } },
      login: () =>
        Promise.resolve({
          baseUrl: server.url,
          key: keys.shift() ?? '',
          report: (outcome) => Promise.resolve(reports.push(outcome) === 1),
        }),
    },
    patience(),
  );
  assert.equal(Buffer.from(speech.bytes).toString(), 'sound');
  assert.deepEqual(reports, [{ reason: 'status 401: {}', status: 401 }, 'ok']);
  assert.equal(server.requests.length, 2);
});
