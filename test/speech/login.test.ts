/** xAI speaks for whoever is logged in to it, and hears. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';
import { hearing } from '../../src/runtime/hearing.ts';
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

/** What is heard, or why nothing is, and with which keys the service was asked. */
async function hearLoggedIn(
  t: TestContext,
  answer: JsonAnswer,
  { stt = {}, variables = {} }: { readonly stt?: object; readonly variables?: Record<string, string> } = {},
) {
  const server = await startJsonServer({ 'POST /v1/stt': answer });
  t.after(() => server[Symbol.asyncDispose]());
  const { home, env: bare, write } = temporaryHome(t);
  write('auth.json', JSON.stringify(stored));
  write('config.yaml', JSON.stringify({ stt: { provider: 'xai', ...stt } }).replaceAll('{server}', server.url));
  const there = Object.entries(variables).map(([name, value]) => [name, value.replaceAll('{server}', server.url)]);
  const env = { ...bare, HERMES_XAI_BASE_URL: `${server.url}/v1`, ...Object.fromEntries(there) };
  const config = await loadConfig({ home, env });
  const program = await openProgram({ home, env, config, cwd: home.path });
  t.after(() => program.close());
  const path = join(home.path, 'a.ogg');
  writeFileSync(path, 'OggS');
  const heard = hearing({ home, env, config, models: program.models });
  const text = await heard.read(path, patience()).catch(({ message }: Error) => message);
  return { problem: heard.problem(), text, keys: server.requests.map(({ headers }) => headers.authorization) };
}

const words = { body: { text: ' Two litres. ' } };

test('a login hears too, named or not, and goes before a key of the environment', async (t) => {
  const alone = await hearLoggedIn(t, words);
  assert.deepEqual(alone, { problem: undefined, text: 'Two litres.', keys: [`Bearer ${token}`] });
  const key = { XAI_API_KEY: 'xai-0123456789abcdef' };
  assert.deepEqual((await hearLoggedIn(t, words, { variables: key })).keys, [`Bearer ${token}`]);
  const unnamed = await hearLoggedIn(t, words, { stt: { provider: '' }, variables: { PATH: '' } });
  assert.deepEqual(unnamed.keys, [`Bearer ${token}`]);
});

test('an address that the owner names for hearing gets the key, never the login', async (t) => {
  const variables = { XAI_STT_BASE_URL: '{server}/v1' };
  const bare = await hearLoggedIn(t, words, { variables });
  assert.deepEqual([bare.problem, bare.keys], ['XAI_API_KEY is not set', []]);
  const keyed = await hearLoggedIn(t, words, { variables: { ...variables, XAI_API_KEY: 'xai-0123456789abcdef' } });
  assert.deepEqual([keyed.text, keyed.keys], ['Two litres.', ['Bearer xai-0123456789abcdef']]);
  const own = { xai: { base_url: '{server}/v1', api_key: 'own-key-0123456789' } };
  assert.deepEqual((await hearLoggedIn(t, words, { stt: own })).keys, ['Bearer own-key-0123456789']);
});

test('a login that is refused while it hears is told without its token', async (t) => {
  const { text } = await hearLoggedIn(t, { status: 403, body: { error: `no plan for ${token}` } });
  assert.match(text, /^xai: status 403: no plan for /);
  assert.doesNotMatch(text, new RegExp(token));
});
