/** `hermes doctor`: what it finds, what it mends, how it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import * as doctor from '../../../src/cli/commands/doctor.ts';
import { ensureHome } from '../../../src/config/home.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { runCommand } from './run-command.ts';

function place(t: TestContext) {
  const made = temporaryHome(t);
  return { ...made, run: (...argv: string[]) => runCommand(doctor, made, ...argv) };
}

/** A model server that answers `/v1/models` with a fixed status and remembers the keys it was shown. */
async function modelServer(t: TestContext, status: number) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(request.url === '/v1/models' ? status : 404, { location: '/elsewhere' }).end('{"data":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

test('a healthy home passes; what is merely optional is no failure', async (t) => {
  const { home, run, write } = place(t);
  const { keys, url } = await modelServer(t, 200);
  ensureHome(home);
  mkdirSync(join(home.path, 'skills'));
  write('config.yaml', `model: {default: m, provider: custom, base_url: "${url}"}\n`);
  write('.env', 'OPENAI_API_KEY=sk-own-key\n');
  chmodSync(join(home.path, '.env'), 0o600);
  using database = new DatabaseSync(join(home.path, 'state.db'));
  database.exec("CREATE TABLE sessions (id TEXT); INSERT INTO sessions VALUES ('a'), ('b')");
  const { stdout, exitCode } = await run();
  assert.equal(exitCode, 0);
  assert.match(stdout, /✓ Node v/);
  assert.match(stdout, /✓ state\.db \(2 sessions\)/);
  assert.match(stdout, /✓ OpenAI \(OPENAI_API_KEY\)/);
  assert.deepEqual(keys, ['Bearer sk-own-key']);
  assert.doesNotMatch(stdout, /sk-own-key/);
});

test('tools that lack a key or a program are said to be off, with what would help', async (t) => {
  const { run, write } = place(t);
  write('.env', 'AGENT_BROWSER_EXECUTABLE_PATH=/nowhere/chromium\n');
  const without = (await run()).stdout;
  assert.match(without, /· homeassistant is off \(needs HASS_TOKEN\)/);
  assert.match(without, /· video_gen is off \(needs one of FAL_KEY, XAI_API_KEY, DEEPINFRA_API_KEY\)/);
  assert.match(without, /· browser is off \(needs one of Chromium, .*browser\.cdp_url, CAMOFOX_URL\)/);
  assert.match(without, /✓ tts \(text_to_speech by Edge/);
  write('.env', 'HASS_TOKEN=a-long-lived-token\nFAL_KEY=fal-key\n');
  write('config.yaml', 'browser: {cdp_url: "http://127.0.0.1:9222"}\ntts: {provider: elevenlabs}\n');
  const there = (await run()).stdout;
  assert.match(there, /· tts is off \(ELEVENLABS_API_KEY is not set\)/);
  for (const toolset of ['homeassistant', 'video_gen', 'image_gen', 'browser']) {
    assert.match(there, new RegExp(`✓ ${toolset} \\(`));
  }
});

test('an endpoint that refuses the key or does not answer is a failure', async (t) => {
  const { run, write } = place(t);
  const { url } = await modelServer(t, 401);
  write('config.yaml', `model: {default: m, base_url: "${url}"}\n`);
  const refused = await run();
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stdout, /refuses the key \(HTTP 401\)/);
  write('config.yaml', 'model: {default: m, base_url: "http://127.0.0.1:9/v1"}\n');
  const silent = await run();
  assert.equal(silent.exitCode, 1);
  assert.match(silent.stdout, /127\.0\.0\.1:9 does not answer/);
});

test('a redirect does not take the key elsewhere', async (t) => {
  const { run, write } = place(t);
  const { keys, url } = await modelServer(t, 302);
  write('config.yaml', `model: {default: m, api_key: k-123456, base_url: "${url}"}\n`);
  await run();
  assert.deepEqual(keys, ['Bearer k-123456']);
});

test('--fix makes what is missing and repairs .env; what it cannot mend stays listed', async (t) => {
  const { home, read, run, write } = place(t);
  write('.env', 'OPENROUTER_BASE_URL=http://127.0.0.1:9XAI_API_KEY=xai-123456\nBAD-NAME=1\n');
  chmodSync(join(home.path, '.env'), 0o644);
  const before = await run();
  assert.match(before.stdout, /memories is not there yet/);
  assert.match(before.stdout, /\.env can be read by other users/);
  assert.match(before.stdout, /seems to hold two settings/);

  const after = await run('--fix');
  for (const name of ['cron', 'sessions', 'logs', 'memories', 'skills', 'SOUL.md', 'config.yaml']) {
    assert.ok(existsSync(join(home.path, name)), name);
  }
  assert.equal(statSync(join(home.path, '.env')).mode & 0o777, 0o600);
  assert.equal(read('.env'), 'OPENROUTER_BASE_URL=http://127.0.0.1:9\nXAI_API_KEY=xai-123456\nBAD-NAME=1\n');
  assert.match(after.stdout, /\d issues? left:[^]*\.env:3: Invalid environment variable name/);
  assert.doesNotMatch(after.stdout, /missing\./);
});

test('a configuration that does not parse fails with its position', async (t) => {
  const { run, write } = place(t);
  write('config.yaml', 'a: [\n');
  const { stdout, exitCode } = await run();
  assert.equal(exitCode, 1);
  assert.match(stdout, /✗ config: .*config\.yaml:2:1/);
});

test('a damaged state.db is a failure that names the file', async (t) => {
  const { home, run, write } = place(t);
  write('state.db', 'this is no database at all, but long enough to look at');
  const { stdout, exitCode } = await run();
  assert.equal(exitCode, 1);
  assert.match(stdout, /✗ state\.db cannot be read/);
  assert.ok(stdout.includes(join(home.path, 'state.db')));
});

test('a malformed variable is named', async (t) => {
  const { env, home } = place(t);
  const { stdout } = await runCommand(doctor, { home, env: { ...env, TERMINAL_TIMEOUT: '5m', LINE_PORT: '80' } });
  assert.match(stdout, /· no effect in this build: LINE_PORT \(chat platforms\)/);
  assert.match(
    stdout,
    /⚠ TERMINAL_TIMEOUT: '5m' is not a number \(write seconds: 300\); no command runs until it is corrected/,
  );
});

test('the administrator’s directory and its pins are shown', async (t) => {
  const { managed, run } = place(t);
  writeFileSync(join(managed, 'config.yaml'), 'agent: {max_turns: 4, verbose: false}\n');
  const { stdout } = await run();
  assert.ok(stdout.includes(`· ${managed} (from HERMES_MANAGED_DIR; 2 pinned keys, 0 pinned variables)`));
});

test('missing programs are named; without bash the local backend cannot work', async (t) => {
  const { env, home } = place(t);
  const { stdout, exitCode } = await runCommand(doctor, { home, env: { ...env, PATH: home.path } });
  assert.equal(exitCode, 1);
  assert.match(stdout, /⚠ git is not on PATH/);
  assert.match(stdout, /✗ bash is not on PATH/);
});

test('an open advisory is shown until it is acknowledged', async (t) => {
  const { read, run, write } = place(t);
  write('config.yaml', 'approvals: {mode: off}\n');
  assert.match((await run()).stdout, /⚠ .*approvals\.mode is off\) \(approvals-off\)/);
  assert.match((await run('--ack', 'approvals-off')).stdout, /✓ Acknowledged approvals-off[^]*✓ none open/);
  assert.match(read('config.yaml'), /acked_advisories:\n +- approvals-off/);
  assert.equal((await run('--ack', 'nonsense')).exitCode, 2);
});

test('the sections stand in the order of the original; profiles only where there are some', async (t) => {
  const { home, run } = place(t);
  const titles = async () => [...(await run()).stdout.matchAll(/^◆ (.*)$/gm)].map(([, title]) => title);
  const expected = [
    'Security Advisories',
    'Runtime',
    'SSL / CA Certificates',
    'Required Packages',
    'Configuration Files',
    'Managed Scope',
    'Auth Providers',
    'Directory Structure',
    'Command Installation',
    'External Tools',
    'API Connectivity',
    'Tool Availability',
    'Gateway',
    'Skills Hub',
    'Memory Provider',
  ];
  assert.deepEqual(await titles(), expected);
  mkdirSync(join(home.path, 'profiles', 'coder'), { recursive: true });
  assert.deepEqual(await titles(), [...expected, 'Profiles']);
  assert.match((await run()).stdout, /✓ coder \(no config\.yaml, no \.env, no alias\)/);
});

test('a file of authorities that cannot be used is named', async (t) => {
  const { env, home, write } = place(t);
  const { stdout } = await runCommand(doctor, {
    home,
    env: { ...env, SSL_CERT_FILE: write('ca.pem', 'no certificate') },
  });
  assert.match(stdout, /⚠ the certificates in .*ca\.pem cannot be used/);
});

test('--fix brings an older config.yaml to the version of today', async (t) => {
  const { read, run, write } = place(t);
  write('config.yaml', 'model: {default: m}\n');
  assert.match((await run()).stdout, /the version of today is 33/);
  assert.doesNotMatch((await run('--fix')).stdout, /the version of today/);
  assert.match(read('config.yaml'), /^_config_version: 33$/m);
});

test('the program behind the terminal backend is looked for, and a container engine must answer', async (t) => {
  const { env, run, write } = place(t);
  const programs = mkdtempSync(join(String(env['HOME']), 'programs-'));
  const put = (name: string, text: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  env['PATH'] = programs;
  write('config.yaml', 'terminal: {backend: docker}\n');
  assert.match((await run()).stdout, /✗ No container engine was found: docker and podman are not on PATH/);
  put('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
  assert.match((await run()).stdout, /✗ The container engine does not work: Cannot connect to the Docker daemon/);
  put('podman', 'exit 0');
  assert.match((await run()).stdout, /✓ container engine.*podman/);
  write('config.yaml', 'terminal: {backend: singularity}\n');
  assert.match((await run()).stdout, /✗ apptainer or singularity is not on PATH/);
  write('config.yaml', 'terminal: {backend: ssh, ssh_host: example.org}\n');
  assert.match((await run()).stdout, /✗ the ssh backend has no host or user/);
});

test('a backend in a cloud needs an account, which is never shown', async (t) => {
  const { env, run, write } = place(t);
  write('config.yaml', 'terminal: {backend: daytona}\n');
  assert.match((await run()).stdout, /✗ there is no account of Daytona[^]*DAYTONA_API_KEY/);
  env['DAYTONA_API_KEY'] = 'dtn_secret';
  const withKey = (await run()).stdout;
  assert.match(withKey, /✓ account of Daytona/);
  assert.doesNotMatch(withKey, /dtn_secret/);
  write('config.yaml', 'terminal: {backend: modal}\n');
  env['MODAL_TOKEN_ID'] = 'ak-1';
  assert.match((await run()).stdout, /✗ there is no account of Modal[^]*MODAL_TOKEN_ID and MODAL_TOKEN_SECRET/);
  writeFileSync(join(String(env['HOME']), '.modal.toml'), '');
  assert.match((await run()).stdout, /✓ account of Modal.*\.modal\.toml/);
  write('config.yaml', 'terminal: {backend: modal, modal_mode: managed}\n');
  assert.match((await run()).stdout, /✗ nobody is logged in to Nous Portal[^]*hermes auth add nous/);
  env['TOOL_GATEWAY_USER_TOKEN'] = 'token-of-mine-0123456789';
  const behind = (await run()).stdout;
  assert.match(behind, /✓ Modal, through the tool gateway/);
  assert.doesNotMatch(behind, /token-of-mine/);
  write('config.yaml', 'terminal: {backend: modal, modal_mode: managed, credential_files: [token.json]}\n');
  assert.match((await run()).stdout, /✗ the tool gateway takes no credential files/);
});
