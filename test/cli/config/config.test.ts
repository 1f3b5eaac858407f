/** `hermes config`: what is printed, written and refused. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as config from '../../../src/cli/commands/config.ts';
import { CONFIG_VERSION } from '../../../src/config/schema.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { runCommand } from './run-command.ts';

function place(t: TestContext) {
  const made = temporaryHome(t);
  return { ...made, run: (...argv: string[]) => runCommand(config, made, ...argv) };
}

test('path and env-path print exactly one line', async (t) => {
  const { home, run } = place(t);
  assert.equal((await run('path')).stdout, `${join(home.path, 'config.yaml')}\n`);
  assert.equal((await run('env-path')).stdout, `${join(home.path, '.env')}\n`);
});

test('set says what was set and where, but never a secret', async (t) => {
  const { run } = place(t);
  assert.equal(
    (await run('set', 'display.streaming', 'on')).stdout,
    '✓ Set display.streaming = true in ~/.hermes/config.yaml\n',
  );
  assert.equal((await run('set', 'XAI_API_KEY', 'sk-x')).stdout, '✓ Set XAI_API_KEY in ~/.hermes/.env\n');
  assert.equal((await run('set', 'model.api_key', 'sk-x')).stdout, '✓ Set model.api_key in ~/.hermes/config.yaml\n');
  for (const [key, value] of [
    ['database.url', 'postgres://me:pa55word@h/db'],
    ['mcp_servers.x.headers.Authorization', 'Bearer pa55word'],
    ['mcp_servers.x.env.GITHUB_TOKEN', 'pa55word'],
  ] as const) {
    assert.doesNotMatch((await run('set', key, value)).stdout, /pa55word/);
  }
});

test('a value may begin with a dash and have several words', async (t) => {
  const { read, run } = place(t);
  await run('set', 'a.n', '-5');
  await run('set', 'agent.system_prompt', 'be', 'kind');
  assert.equal(read('config.yaml'), 'a:\n  n: -5\n_config_version: 33\nagent:\n  system_prompt: be kind\n');
});

test('set without arguments prints its usage and fails with 1', async (t) => {
  const { run } = place(t);
  for (const argv of [['set'], ['set', 'model']]) {
    const { stdout, stderr, exitCode } = await run(...argv);
    assert.equal(exitCode, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /Usage: hermes config set KEY VALUE[^]*Examples:/);
  }
});

test('a pinned key and a package-managed installation fail with 1', async (t) => {
  const { env, home, managed, run } = place(t);
  writeFileSync(join(managed, 'config.yaml'), 'model: {default: theirs}\n');
  const pinned = await run('set', 'model.default', 'z');
  assert.equal(pinned.exitCode, 1);
  assert.match(pinned.stderr, /^Cannot set 'model\.default': it is managed by your administrator/);
  const packaged = { home, env: { ...env, HERMES_MANAGED: '1' } };
  for (const argv of [['set', 'x', 'y'], ['migrate'], ['edit']]) {
    assert.equal((await runCommand(config, packaged, ...argv)).exitCode, 1);
  }
  assert.ok(!existsSync(join(home.path, 'config.yaml')));
});

test('show never prints a whole key, wherever it comes from', async (t) => {
  const { env, home, managed, write } = place(t);
  const secrets = ['sk-env-0123456789', 'sk-yaml-0123456789', 'sk-skill-0123456789', 'pass-0123456789'];
  write('.env', `OPENROUTER_API_KEY=${secrets[0]}\nXAI_API_KEY=short-key\n`);
  write(
    'config.yaml',
    `model: {api_key: ${secrets[1]}, base_url: "https://u:${secrets[3]}@h/v1"}\nskills: {config: {wiki: {api_token: ${secrets[2]}, path: /w}}}\n`,
  );
  writeFileSync(join(managed, 'config.yaml'), 'agent: {max_turns: 4}\n');
  for (const argv of [['show'], []]) {
    const { stdout } = await runCommand(config, { home, env }, ...argv);
    for (const secret of [...secrets, 'short-key']) assert.ok(!stdout.includes(secret), secret);
    assert.match(stdout, /OpenRouter: +\*\*\* {2}OPENROUTER_API_KEY/);
    assert.match(stdout, /xAI: +\*\*\* {2}XAI_API_KEY/);
    assert.match(stdout, /Anthropic: +\(not set\)/);
    assert.match(stdout, /Managed by .*config\.yaml: agent\.max_turns/);
    assert.match(stdout, /Max turns: +4/);
    assert.match(stdout, /wiki: +\{"api_token":"\*\*\*","path":"\/w"\}/);
  }
});

test('a fresh home is up to date, and streaming is what it is', async (t) => {
  const { run } = place(t);
  assert.match((await run('check')).stdout, /Config: +33 \(current\)[^]*The file is up to date/);
  assert.match((await run('show')).stdout, /Streaming: +on/);
});

test('get prints the effective value and hides keys; unset takes it away again', async (t) => {
  const { run, write } = place(t);
  write(
    'config.yaml',
    'model: {default: m, api_key: sk-very-secret-key, base_url: "http://me:pw@box/v1"}\nodd: {n: 1}\n',
  );
  assert.equal((await run('get', 'model.default')).stdout, 'm\n');
  assert.equal((await run('get', 'agent.max_turns')).stdout, '90\n');
  assert.equal((await run('get', 'odd', '--json')).stdout, '{\n  "n": 1\n}\n');
  const model = await run('get', 'model');
  assert.match(model.stdout, /^default: m$/m);
  assert.match(model.stdout, /^api_key: "?\*\*\*"?$/m);
  assert.equal((await run('get', 'model.api_key')).stdout, '***\n');
  assert.equal((await run('get', 'model.base_url')).stdout, 'http://***@box/v1\n');
  const none = await run('get', 'model.defualt');
  assert.equal(none.exitCode, 1);
  assert.match(none.stderr, /Config key not set: model\.defualt\nDid you mean model\.default\?/);
  assert.equal((await run('unset', 'odd.n')).exitCode, 0);
  assert.equal((await run('get', 'odd')).exitCode, 1);
  assert.equal((await run('unset', 'odd.n')).exitCode, 1);
});

test('a key that has no effect is stored and told, with the one that was meant', async (t) => {
  const { run } = place(t);
  assert.match((await run('set', 'display.streeming', 'on')).stderr, /Did you mean display\.streaming\?/);
  assert.match(
    (await run('set', 'cron.provider', 'x')).stderr,
    /no effect in this build: it belongs to other schedulers/,
  );
  assert.equal((await run('set', '--force', 'my.own', 'x')).stderr, '');
  const limit = await run('set', 'limits.daily_tokens', '5');
  assert.equal(limit.exitCode, 2);
  assert.match(limit.stderr, /limits\.daily_tokens is not a limit/);
  const check = (await run('check')).stdout;
  assert.match(check, /\? display\.streeming {2}\(did you mean display\.streaming\?\)/);
  assert.match(check, /- cron\.provider \(other schedulers\)/);
});

test('a provider that nobody knows is stored, as its address may follow, and told', async (t) => {
  const { run } = place(t);
  assert.match((await run('set', 'model.provider', 'opnrouter')).stderr, /No provider is called 'opnrouter' yet/);
  await run('set', 'providers.desk.base_url', 'http://desk.test/v1');
  for (const name of ['openrouter', 'OpenRouter', 'auto', 'custom:desk', 'desk']) {
    assert.equal((await run('set', 'model.provider', name)).stderr, '', name);
  }
});

test('a copy of a setting in .env that decides or differs is told', async (t) => {
  const { run, write } = place(t);
  write('.env', 'TERMINAL_ENV=docker\n');
  assert.match((await run('check')).stdout, /TERMINAL_ENV in \.env decides about terminal\.backend/);
  write('config.yaml', 'terminal: {backend: local}\n');
  assert.match((await run('check')).stdout, /TERMINAL_ENV in \.env says otherwise than terminal\.backend/);
  write('config.yaml', 'terminal: {backend: docker}\n');
  assert.doesNotMatch((await run('check')).stdout, /TERMINAL_ENV/);
});

test('check shows the way from version 0 to the newest; after migrate it is current', async (t) => {
  const { read, run, write } = place(t);
  write('config.yaml', 'display: {skin: mono, glow: 1}\n');
  const before = await run('check');
  assert.match(before.stdout, new RegExp(`0 → ${CONFIG_VERSION}`));
  assert.match(before.stdout, /Run `hermes config migrate`/);
  assert.match(before.stdout, /\? display\.glow/);
  assert.match((await run('migrate')).stdout, new RegExp(`version 0 → ${CONFIG_VERSION}`));
  assert.match((await run('check')).stdout, new RegExp(`${CONFIG_VERSION} \\(current\\)[^]*The file is up to date`));
  assert.match((await run('migrate')).stdout, /up to date/);
  assert.match(read('config.yaml'), /skin: mono, glow: 1/);
});

test('check counts a server that needs no key, and names no key that nothing reads', async (t) => {
  const { run, write } = place(t);
  write('config.yaml', 'model: {provider: lmstudio, default: small-1}\n');
  const { stdout } = await run('check');
  assert.match(stdout, /✓ a key or login of a model provider/);
  assert.match(stdout, /○ Sandboxes: DAYTONA_API_KEY/);
  assert.doesNotMatch(stdout, /HONCHO_API_KEY/);
  const shown = (await run('show')).stdout;
  assert.match(shown, /Telegram: +not configured/);
  assert.doesNotMatch(shown, /Discord:/);
});

test('check counts a key and a login that are stored, and not one that has ended', async (t) => {
  const { run, write } = place(t);
  const missing = /○ a key or login of a model provider/;
  assert.match((await run('check')).stdout, missing);
  const stored = (more: object) => {
    const entry = { id: 'a', label: 'mine', priority: 0, source: 'manual', ...more };
    write('auth.json', JSON.stringify({ version: 1, credential_pool: { openrouter: [entry] } }));
  };
  stored({ auth_type: 'api_key', access_token: 'sk-or-v1-stored' });
  assert.match((await run('check')).stdout, /✓ a key or login of a model provider/);
  stored({ auth_type: 'oauth', access_token: 'at-1', refresh_token: 'rt-1' });
  assert.match((await run('check')).stdout, /✓ a key or login of a model provider/);
  stored({ auth_type: 'oauth', access_token: 'at-1', last_status: 'dead' });
  assert.match((await run('check')).stdout, missing);
  write('auth.json', '{');
  const damaged = await run('check');
  assert.match(damaged.stdout, missing);
  assert.match(damaged.stderr, /auth\.json cannot be used/);
});

test('a file that does not parse is not migrated', async (t) => {
  const { read, run, write } = place(t);
  write('config.yaml', 'a: [\n');
  assert.equal((await run('migrate')).exitCode, 1);
  assert.equal(read('config.yaml'), 'a: [\n');
});

test('edit creates the file, opens the editor on it, and reports what the edit broke', async (t) => {
  const { env, home, read, write } = place(t);
  const script = write('editor', '#!/bin/sh\nprintf "model: $1\\n" >> "$2"\n');
  chmodSync(script, 0o755);
  const edit = (argument: string) =>
    runCommand(config, { home, env: { ...env, EDITOR: `${script} ${argument}` } }, 'edit');
  assert.equal((await edit('mine')).exitCode, 0);
  assert.equal(read('config.yaml'), `_config_version: ${CONFIG_VERSION}\nmodel: mine\n`);
  const broken = await edit('[');
  assert.equal(broken.exitCode, 1);
  assert.match(broken.stderr, /config\.yaml:4:1/);
});

test('edit without any editor prints the path', async (t) => {
  const { env, home } = place(t);
  const { stdout, exitCode } = await runCommand(config, { home, env: { ...env, PATH: home.path } }, 'edit');
  assert.equal(exitCode, 0);
  assert.ok(stdout.includes(join(home.path, 'config.yaml')));
});
