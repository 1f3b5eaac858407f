/** `hermes auth`, `login` and `logout`, as processes: what they store, what they show, and what they refuse. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import * as auth from '../../src/cli/commands/auth.ts';
import { runCommand } from './config/run-command.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { type LoginServer, startLoginServer } from '../fakes/oauth-server.ts';
import { noTmux, openPane } from './interactive/tmux.ts';
import { hermes, makePlace, type Place, start } from './hermes-process.ts';

const key = 'sk-or-v1-abcdefghijklmnop1234';

interface AuthFile {
  readonly active_provider?: string;
  readonly credential_pool?: Record<string, Record<string, unknown>[]>;
}

const authOf = (place: Place): AuthFile => JSON.parse(place.read('auth.json')) as AuthFile;

function restingPool(now: number): string {
  const entry = { auth_type: 'api_key', source: 'manual', request_count: 3 };
  return JSON.stringify({
    version: 1,
    credential_pool: {
      openrouter: [
        { ...entry, id: 'aaa111', label: 'first', priority: 0, access_token: `${key}-1`, last_status: 'ok' },
        {
          ...entry,
          id: 'bbb222',
          label: 'second',
          priority: 1,
          access_token: `${key}-2`,
          last_status: 'exhausted',
          last_status_at: now / 1000,
          last_error_code: 429,
          last_error_reset_at: (now + 1_800_000) / 1000,
        },
        {
          ...entry,
          id: 'ccc333',
          label: 'third',
          priority: 2,
          access_token: `${key}-3`,
          last_status: 'dead',
          last_error_message: `invalid_grant for ${key}-3`,
        },
      ],
    },
  });
}

suite('hermes auth', { concurrency: 4 }, () => {
  test('a key is added, listed with its last four characters, and removed by its number', async (t) => {
    const place = makePlace(t);
    const added = await hermes(place, [
      'auth',
      'add',
      'OpenRouter',
      '--type',
      'api_key',
      '--api-key',
      key,
      '--label',
      'work',
    ]);
    assert.deepEqual([added.code, added.stderr], [0, '']);
    const [entry] = authOf(place).credential_pool?.['openrouter'] ?? [];
    assert.deepEqual(
      [entry?.['label'], entry?.['source'], entry?.['auth_type'], entry?.['access_token'], entry?.['priority']],
      ['work', 'manual', 'api_key', key, 0],
    );
    assert.equal(statSync(join(place.home, 'auth.json')).mode & 0o777, 0o600);
    const again = await hermes(place, ['auth', 'add', 'openrouter', '--api-key', key]);
    assert.match(again.stdout, /has this key already/);
    const listed = await hermes(place, ['auth', 'list', 'openrouter']);
    assert.match(listed.stdout, /^openrouter \(1\)\n +1 +work +api key +manual +…1234 +ok$/m);
    assert.doesNotMatch(added.stdout + listed.stdout, /abcdefgh/);
    const removed = await hermes(place, ['auth', 'remove', 'openrouter', 'work']);
    assert.equal(removed.code, 0);
    assert.deepEqual(authOf(place).credential_pool, {});
  });

  test('resting and ended credentials say so without a secret; reset frees them', async (t) => {
    const place = makePlace(t);
    place.write('auth.json', restingPool(Date.now()));
    const { stdout } = await hermes(place, ['auth', 'list']);
    assert.match(stdout, / 2 +second .*resting, (?:29|30) min left \(HTTP 429\)/);
    assert.match(stdout, / 3 +third .*ended: invalid_grant/);
    assert.doesNotMatch(stdout, /abcdefgh/);
    const reset = await hermes(place, ['auth', 'reset', 'openrouter']);
    assert.match(reset.stdout, /2 credentials of openrouter can be used again/);
    const after = await hermes(place, ['auth', 'status', 'openrouter']);
    assert.match(after.stdout, /first ok; second ok; third ok/);
  });

  test('a key of .env is listed and goes from there when it is removed; one of the shell stays', async (t) => {
    const place = makePlace(t);
    place.write('.env', `# mine\nOPENROUTER_API_KEY=${key}\nDEEPSEEK_API_KEY=deepseek-key-000000001\n`);
    const env = { XAI_API_KEY: 'xai-key-of-the-shell-0001' };
    const listed = await hermes(place, ['auth', 'list'], { env });
    assert.match(listed.stdout, /^openrouter \(1\)[^]*^xai \(1\)[^]*^deepseek \(1\)/m);
    assert.equal((await hermes(place, ['auth', 'remove', 'openrouter', '1'])).code, 0);
    assert.equal(place.read('.env'), '# mine\nDEEPSEEK_API_KEY=deepseek-key-000000001\n');
    const shell = await hermes(place, ['auth', 'remove', 'xai', '1'], { env });
    assert.match(shell.stdout, /XAI_API_KEY is set outside this home/);
  });

  test('a pinned key is shown and not removed', async (t) => {
    const place = makePlace(t);
    writeFileSync(join(String(place.env['HERMES_MANAGED_DIR']), '.env'), `OPENROUTER_API_KEY=${key}\n`);
    assert.match((await hermes(place, ['auth', 'list'])).stdout, /OPENROUTER_API_KEY/);
    const run = await hermes(place, ['auth', 'remove', 'openrouter', '1']);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /managed by your administrator/);
  });

  test('wrong names and numbers are usage errors that say what is known', async (t) => {
    const place = temporaryHome(t);
    const cases: [string[], RegExp][] = [
      [['add', 'nosuch', '--api-key', key], /Unknown provider 'nosuch'.*\nKnown providers: openrouter, nous/],
      [['list', 'nosuch'], /Unknown provider/],
      [['status', 'nosuch'], /Unknown provider/],
      [['remove', 'openrouter', '1'], /there is none to remove/],
      [['remove', 'openrouter', 'x'], /no credential 'x'/],
      [['add', 'openrouter'], /--api-key <key>/],
      [['add', 'openrouter', '--api-key', 'changeme'], /not an API key[^]*too short for a key, or stands for one/],
      [['add', 'openrouter', '--type', 'password'], /api-key or oauth/],
      [['add', 'nous', '--api-key', key], /only a login/],
      [['add', 'openrouter', '--type', 'oauth'], /no login, only API keys/],
      [['add', 'bedrock'], /AWS credential chain/],
    ];
    for (const [args, message] of cases) {
      const run = await runCommand(auth, place, ...args);
      assert.deepEqual([run.exitCode, run.stdout], [2, ''], args.join(' '));
      assert.match(run.stderr, message);
      assert.doesNotMatch(run.stderr, /abcdefgh/);
    }
    assert.equal(existsSync(join(place.home.path, 'auth.json')), false);
  });

  test('a damaged auth.json is named and left as it is', async (t) => {
    for (const damage of ['{"version": 1, "credential_pool', '[]', '{"credential_pool": 7}']) {
      const place = temporaryHome(t);
      const path = join(place.home.path, 'auth.json');
      writeFileSync(path, damage);
      const commands = [['list'], ['add', 'openrouter', '--api-key', key], ['logout', 'openrouter'], ['status']];
      for (const args of commands) {
        const run = await runCommand(auth, place, ...args);
        assert.deepEqual([run.exitCode, run.stdout], [1, ''], `${damage} ${args[0]}`);
        assert.match(run.stderr, /auth\.json cannot be used/);
      }
      assert.equal(readFileSync(path, 'utf8'), damage);
    }
  });

  test('killed at any moment while adding, the file is the old or the new one', async (t) => {
    const place = makePlace(t);
    place.write('auth.json', restingPool(Date.now()));
    for (const wait of [200, 300]) {
      const before = authOf(place).credential_pool?.['openrouter']?.length ?? 0;
      const running = start(place, ['auth', 'add', 'openrouter', '--api-key', `${key}-kill-${wait}`]);
      const timer = setTimeout(() => running.child.kill('SIGKILL'), wait);
      await running.ended;
      clearTimeout(timer);
      const after = authOf(place).credential_pool?.['openrouter']?.length ?? 0;
      assert.ok(after === before || after === before + 1);
    }
    const added = await hermes(place, ['auth', 'add', 'openrouter', '--api-key', `${key}-last`]);
    assert.equal(added.code, 0, added.stderr);
  });

  test('logging out forgets what is stored and names what is set elsewhere', async (t) => {
    const place = makePlace(t);
    place.write('auth.json', restingPool(Date.now()));
    const run = await hermes(place, ['auth', 'logout', 'openrouter'], { env: { OPENROUTER_API_KEY: key } });
    assert.match(run.stdout, /Logged out of openrouter\.\nStill set outside auth\.json: OPENROUTER_API_KEY/);
    assert.deepEqual(authOf(place).credential_pool, {});
  });

  test('bare auth without a terminal lists and says how to change it', async (t) => {
    const run = await hermes(makePlace(t), ['auth']);
    assert.equal(run.code, 0);
    assert.match(run.stdout, /No credentials yet[^]*hermes auth add\|remove/);
  });

  test('login points to what replaced it, and logout without a login says so', async (t) => {
    const place = makePlace(t);
    const login = await hermes(place, ['login', '--provider', 'nous']);
    assert.equal(login.code, 1);
    assert.match(login.stderr, /hermes auth/);
    const logout = await hermes(place, ['logout']);
    assert.equal(logout.code, 0);
    assert.match(logout.stdout, /No provider is currently logged in/);
  });

  test('a login shows address and code, and stores its tokens in the pool as the active provider', async (t) => {
    await using server = await startLoginServer();
    server.settings.deviceAnswer = { interval: 1 };
    const place = makePlace(t);
    const run = await hermes(place, ['auth', 'add', 'nous', '--type', 'oauth'], { env: await reaching(t, server) });
    assert.deepEqual([run.code, run.stderr], [0, '']);
    assert.match(run.stdout, /https:\/\/portal\.nousresearch\.com\/device/);
    assert.match(run.stdout, /WDJB-MJHT/);
    const { active_provider: active, credential_pool: pools } = authOf(place);
    assert.equal(active, 'nous');
    const [entry] = pools?.['nous'] ?? [];
    assert.deepEqual([entry?.['source'], entry?.['auth_type']], ['device_code', 'oauth']);
    assert.ok(server.secrets.has(String(entry?.['access_token'])));
    assert.ok(server.secrets.has(String(entry?.['refresh_token'])));
    const status = await hermes(place, ['auth', 'status', 'nous']);
    assert.match(status.stdout, /Nous Portal \(nous\), last login: .*ok, for \d+ min/);
    for (const secret of server.secrets) assert.ok(!(run.stdout + status.stdout).includes(secret));
    // Nothing else is configured, and another key does not get in its way.
    await using models = await startModelServer({ respond: () => ({ text: 'PONG' }) });
    const env = { NOUS_INFERENCE_BASE_URL: models.url, OPENROUTER_API_KEY: 'sk-or-v1-0123456789abcdef' };
    const answered = await hermes(place, ['-z', 'ping', '-m', 'Hermes-4-405B'], { env });
    assert.deepEqual([answered.code, answered.stdout, answered.stderr], [0, 'PONG\n', '']);
    assert.equal(models.lastRequest.headers.authorization, `Bearer ${String(entry?.['access_token'])}`);
  });

  test('a browser is opened for a login, but never over SSH or when that is not wanted', async (t) => {
    await using server = await startLoginServer();
    server.settings.deviceAnswer = { interval: 1 };
    const place = makePlace(t);
    const bin = join(place.work, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${place.work}/opened\n`, { mode: 0o755 });
    const env = { ...(await reaching(t, server)), DISPLAY: ':0', PATH: `${bin}:${place.env['PATH']}` };
    const [remote, unwanted] = await Promise.all([
      hermes(place, ['auth', 'add', 'nous'], { env: { ...env, SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' } }),
      hermes(place, ['auth', 'add', 'nous', '--no-browser'], { env }),
    ]);
    assert.deepEqual([remote.code, unwanted.code], [0, 0]);
    assert.match(remote.stdout, /Open https:/);
    assert.equal(existsSync(join(place.work, 'opened')), false);
    assert.equal((await hermes(place, ['auth', 'add', 'nous'], { env })).code, 0);
    assert.equal(
      readFileSync(join(place.work, 'opened'), 'utf8'),
      'https://portal.nousresearch.com/device?user_code=WDJB-MJHT\n',
    );
  });

  test('a login that has run out is renewed when a model is asked; one that has ended says how to log in', async (t) => {
    await using server = await startLoginServer();
    await using models = await startModelServer();
    const place = makePlace(t);
    place.write('config.yaml', 'model:\n  provider: nous\n  default: Hermes-4-405B\n');
    const login = (refreshToken: string) =>
      JSON.stringify({
        version: 1,
        credential_pool: {
          nous: [
            {
              id: 'abc123',
              label: 'mine',
              auth_type: 'oauth',
              source: 'device_code',
              scope: 'inference:invoke',
              access_token: 'access-that-ran-out-0001',
              refresh_token: refreshToken,
              expires_at_ms: Date.now() - 1000,
            },
          ],
        },
      });
    const env = { ...(await reaching(t, server)), NOUS_INFERENCE_BASE_URL: models.url };
    place.write('auth.json', login(server.refreshToken()));
    models.enqueue({ text: 'PONG' });
    const run = await hermes(place, ['-z', 'ping'], { env });
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'PONG\n', '']);
    const sent = models.requests[0]?.headers.authorization?.replace('Bearer ', '') ?? '';
    assert.ok(server.secrets.has(sent));
    assert.equal(authOf(place).credential_pool?.['nous']?.[0]?.['access_token'], sent);
    place.write('auth.json', login('refresh-that-was-revoked'));
    const ended = await hermes(place, ['-z', 'ping'], { env });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /hermes auth add nous/);
    assert.equal(models.requests.length, 1);
    assert.equal(authOf(place).credential_pool?.['nous']?.[0]?.['last_status'], 'dead');
  });

  test('the model menu logs in, and keeps nothing of it before the model is chosen', { skip: noTmux }, async (t) => {
    await using server = await startLoginServer();
    server.settings.deviceAnswer = { interval: 1 };
    const place = makePlace(t);
    const env = await reaching(t, server);
    for (const stop of [true, false]) {
      const pane = openPane(t, place, ['model'], { env });
      await pane.sees(/Which provider\?/);
      pane.type('nous');
      await pane.sees(/● Nous Portal/);
      pane.keys('Enter');
      await pane.sees(/WDJB-MJHT/);
      await pane.sees(/Which model\?[^]*Hermes-4-405B/);
      assert.equal(existsSync(join(place.home, 'auth.json')), false);
      pane.keys(stop ? 'C-c' : 'Enter');
      await pane.sees(stop ? /Nothing was changed/ : /Stored: Hermes-4-405B \(nous\)/);
      assert.equal(await pane.ended(), 0);
    }
    assert.equal(authOf(place).active_provider, 'nous');
    assert.match(place.read('config.yaml'), /provider: nous/);
  });

  test('the login of the Codex program is taken over when the person wants that', { skip: noTmux }, async (t) => {
    await using server = await startLoginServer();
    const place = makePlace(t);
    const token = server.jwt({ exp: Math.floor(Date.now() / 1000) + 3600 });
    const codex = join(place.work, 'codex');
    mkdirSync(codex);
    const file = JSON.stringify({
      tokens: { access_token: token, refresh_token: 'refresh-of-codex-1', account_id: 'a-1' },
    });
    writeFileSync(join(codex, 'auth.json'), file);
    const pane = openPane(t, place, ['auth', 'add', 'openai-codex', '--label', 'mine'], { env: { CODEX_HOME: codex } });
    await pane.sees(/The Codex program is logged in/);
    pane.keys('Down', 'Enter');
    await pane.sees(/Logged in to OpenAI Codex/);
    assert.equal(await pane.ended(), 0);
    const [entry] = authOf(place).credential_pool?.['openai-codex'] ?? [];
    assert.deepEqual([entry?.['label'], entry?.['access_token'], entry?.['account_id']], ['mine', token, 'a-1']);
    assert.equal(readFileSync(join(codex, 'auth.json'), 'utf8'), file);
  });

  test('a declined login stores nothing', async (t) => {
    await using server = await startLoginServer();
    server.settings.deviceAnswer = { interval: 1 };
    server.settings.steps = ['denied'];
    const place = makePlace(t);
    const run = await hermes(place, ['auth', 'add', 'nous'], { env: await reaching(t, server) });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /declined/);
    assert.equal(existsSync(join(place.home, 'auth.json')), false);
  });

  test('bare auth in a terminal asks, and a key typed unseen is stored', { skip: noTmux }, async (t) => {
    const place = makePlace(t);
    const pane = openPane(t, place, ['auth']);
    await pane.sees(/What would you like to do\?/);
    pane.keys('Enter');
    await pane.sees(/Which provider\?/);
    pane.type('deepse');
    await pane.sees(/● DeepSeek/);
    pane.keys('Enter');
    await pane.sees(/API key for DeepSeek/);
    pane.enter('deepseek-typed-key-0001');
    const screen = await pane.sees(/Added key 1 to deepseek/);
    assert.equal(await pane.ended(), 0);
    assert.doesNotMatch(screen, /typed-key/);
    assert.equal(authOf(place).credential_pool?.['deepseek']?.[0]?.['access_token'], 'deepseek-typed-key-0001');
  });
});

/** The process finds the login services here, whatever host it asks. */
async function reaching(t: TestContext, services: LoginServer): Promise<Record<string, string>> {
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length', 'transfer-encoding'].includes(name) ? [] : [[name, String(value)]],
    );
    const body = await text(request);
    const method = request.method ?? 'GET';
    const answer = await services.fetch(`https:/${request.url}`, { method, headers, ...(body === '' ? {} : { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  };
  const door = createServer((request, response) => void passOn(request, response));
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  t.after(() => door.close());
  const script = `import http from 'node:http'; import https from 'node:https';
  https.request = (input, { agent, ...init }) => {
    const url = new URL(input);
    return http.request('http://127.0.0.1:${(door.address() as AddressInfo).port}/' + url.host + url.pathname + url.search, init);
  };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
