/** What an entry of `mcp_servers` comes to. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings, type StdioReach } from '../../src/mcp/settings.ts';
import { startOf } from '../../src/mcp/stdio-environment.ts';
import { firstRetries, usualWaits } from '../../src/mcp/waits.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { entriesOf, openServers } from './support.ts';

function settings(written: Record<string, unknown>, variables = {}) {
  const [entry] = Object.values(entriesOf({ s: written }));
  assert.ok(entry !== undefined);
  return readSettings('s', entry, variables);
}

test('an entry that says nothing but where has five minutes for a call, one for a connection, and all of the rest', () => {
  const { callMs, connectMs, keepaliveMs, idleMs, lifetimeMs, ...rest } = settings({ command: 'x' });
  assert.deepEqual(
    [callMs, connectMs, keepaliveMs, idleMs, lifetimeMs],
    [300_000, 60_000, 180_000, undefined, undefined],
  );
  assert.equal(rest.sideBySide, false);
  assert.deepEqual(rest.offers, { exclude: [], resources: true, prompts: true });
  assert.deepEqual(rest.elicitation, { enabled: true, timeoutMs: 300_000 });
  assert.deepEqual(
    [
      rest.sampling.enabled,
      rest.sampling.max_tokens_cap,
      rest.sampling.timeout,
      rest.sampling.max_rpm,
      rest.sampling.max_tool_rounds,
    ],
    [true, 4096, 30, 10, 5],
  );
});

test('a lost connection is tried again after 1, 2, 4, 8 and 16 seconds, then every five minutes; the first one three times', () => {
  const { retry, revive, call, wake } = usualWaits;
  assert.deepEqual(retry, [1000, 2000, 4000, 8000, 16_000]);
  assert.deepEqual([revive, call, wake, firstRetries], [300_000, 5000, 15_000, 3]);
});

test('a url goes before a command, with a warning; an entry with neither is an error of that server alone', async (t) => {
  const both = settings({ url: 'https://a.example/mcp', command: 'x' });
  assert.equal(both.reach.kind, 'http');
  assert.deepEqual(both.warnings, ['mcp_servers.s has both url and command; the url is used']);
  assert.throws(() => settings({}), /names neither a command nor a url/);
  const opened = await openServers(
    t,
    { both: { url: 'http://127.0.0.1:9/mcp', command: 'x', connect_timeout: 0.01 } },
    { ready: false },
  );
  opened.servers.start();
  assert.match(opened.logged.join('\n'), /mcp_servers\.both has both url and command/);
});

test('names of variables are filled in everywhere, and those that nobody knows stay as they are', () => {
  const variables = { HOST: 'a.example', KEY: 'k', BIN: '/opt/x' };
  const http = settings({ url: 'https://${HOST}/${env:NONE}', headers: { 'x-key': '${env:KEY}' } }, variables).reach;
  assert.ok(http.kind === 'http');
  assert.deepEqual([http.url, http.headers], ['https://a.example/${env:NONE}', { 'x-key': 'k' }]);
  const stdio = settings({ command: '${BIN}', args: ['${KEY}', '${NONE}'], env: { A: '${KEY}' } }, variables).reach;
  assert.ok(stdio.kind === 'stdio');
  assert.deepEqual([stdio.command, stdio.args, stdio.env], ['/opt/x', ['k', '${NONE}'], { A: 'k' }]);
});

test('yes and no may be words, numbers that mean nothing are as if they were not there', () => {
  for (const yes of ['true', '1', 'YES', 'on', true]) {
    assert.equal(
      settings({ url: 'https://a.example', skip_preflight: yes, supports_parallel_tool_calls: yes }).sideBySide,
      true,
    );
    assert.equal(settings({ command: 'x', elicitation: { enabled: yes } }).elicitation.enabled, true);
  }
  for (const no of ['false', '0', 'No', 'off', false]) {
    assert.equal(settings({ command: 'x', supports_parallel_tool_calls: no }).sideBySide, false);
    assert.equal(settings({ command: 'x', sampling: { enabled: no } }).sampling.enabled, false);
  }
  const { max_rpm, timeout, max_tokens_cap } = settings({
    command: 'x',
    sampling: { max_rpm: 'often', timeout: -1, max_tokens_cap: null },
  }).sampling;
  assert.deepEqual([max_rpm, timeout, max_tokens_cap], [10, 30, 4096]);
  assert.equal(settings({ command: 'x', keepalive_interval: 1 }).keepaliveMs >= 5000, true);
  assert.equal(settings({ command: 'x', idle_timeout_seconds: 0, max_lifetime_seconds: 0 }).idleMs, undefined);
});

test('a certificate is one file, or with its key and password, each in its place or in one list', () => {
  const certificate = (written: object) => {
    const { reach } = settings({ url: 'https://a.example', ...written });
    return reach.kind === 'stdio' ? undefined : reach.certificate;
  };
  assert.deepEqual(certificate({ client_cert: 'c' }), { cert: 'c' });
  assert.deepEqual(certificate({ client_cert: 'c', client_key: 'k' }), { cert: 'c', key: 'k' });
  assert.deepEqual(certificate({ client_cert: ['c', 'k'] }), { cert: 'c', key: 'k' });
  assert.deepEqual(certificate({ client_cert: ['c', 'k', 'p'] }), { cert: 'c', key: 'k', password: 'p' });
  assert.throws(() => certificate({ client_key: 'k' }), /has a client_key and no client_cert/);
});

test('a program is looked for in PATH, one of Node also in the home, and its own folder goes before the others', (t) => {
  const home = temporaryHome(t).home.path;
  const put = (...names: string[]): string => {
    const folder = join(home, ...names.slice(0, -1));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, ...names), '#!/bin/sh\n');
    chmodSync(join(home, ...names), 0o755);
    return folder;
  };
  const [bin, own] = [put('bin', 'server'), put('node', 'bin', 'npx')];
  const reach = (command: string): StdioReach => ({ kind: 'stdio', command, args: [], env: {} });
  const started = (command: string) =>
    startOf('s', reach(command), home, { PATH: bin, XDG_RUNTIME_DIR: '/run/x', MY_KEY: 'k' });
  assert.deepEqual(started('server'), {
    program: join(bin, 'server'),
    env: { PATH: `${bin}:${bin}`, XDG_RUNTIME_DIR: '/run/x' },
  });
  assert.deepEqual([started('npx').program, started('npx').env['PATH']], [join(own, 'npx'), `${own}:${bin}`]);
  const hintOf = (command: string): string => {
    try {
      started(command);
      return 'found';
    } catch (error) {
      return error instanceof Error && 'hint' in error ? `${error.message} ${String(error.hint)}` : '';
    }
  };
  assert.match(hintOf('nosuch'), /mcp_servers\.s: there is no program 'nosuch' in PATH\. Write its whole path/);
  // Who runs this may have one in the home.
  assert.match(hintOf('npm'), /^found$|no program 'npm' in PATH\. Install Node\.js/);
});
