/** Our own command line, called by an agent: it shows what there is, and changes nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Ancestor, refuseUnderAgent } from '../../src/cli/under-agent.ts';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import { markedLocks } from '../../src/lib/shell-mark.ts';
import { until } from '../environments/support.ts';
import { hermes, mainFile, makePlace } from './hermes-process.ts';

const home = { path: '/home/ann/.hermes', root: '/home/ann/.hermes', profile: 'default' };
const value = `${'a'.repeat(32)}.1.`;
const agent: Ancestor = { mark: value, home: home.path };
const nobody: Ancestor = { mark: undefined, home: undefined };

function isRefused(line: string, { env = {}, above = agent, at = home.path } = {}): boolean {
  const argv = line.split(' ').filter((word) => word !== '');
  const name = argv.find((word, index) => !word.startsWith('-') && argv[index - 1] !== '-z');
  try {
    refuseUnderAgent({ argv, name, home: { ...home, path: at }, env }, () => [nobody, above]);
    return false;
  } catch {
    return true;
  }
}

test('what changes settings, keys, approvals, records or the program is refused', () => {
  for (const line of [
    'config set approvals.mode off',
    'config edit',
    'auth add openrouter',
    'login',
    'permissions revoke all',
    'memory clear',
    'tools enable terminal',
    'skills install x',
    'profile create evil',
    'sessions delete x',
    'checkpoints clear',
    'lsp install pyright',
    'lsp install-all',
    'lsp restart',
    'setup',
    'update',
    'uninstall',
    'import x.zip',
    'doctor --fix',
    'gateway run',
    '--yolo -z hi',
    '-z hi --yolo',
    '--ignore-rules -z hi',
    'chat --accept-hooks',
  ]) {
    assert.ok(isRefused(line), line);
    assert.ok(!isRefused(line, { above: nobody }), `${line}: by a person`);
  }
});

test('what only looks is free, and so is a conversation with the same rules in the same home', () => {
  for (const line of [
    'status',
    '--version',
    'config show',
    'config get model',
    'permissions',
    'permissions list',
    'sessions list',
    'memory status',
    'tools list',
    'doctor',
    'lsp',
    'lsp which pyright',
    'config set --help',
    '-z hi',
    'chat -z hi',
  ]) {
    assert.ok(!isRefused(line), line);
  }
});

test('a second agent with other rules, or in another home, is no way around', () => {
  assert.ok(isRefused('-z hi', { env: { HERMES_YOLO_MODE: '1' } }));
  assert.ok(isRefused('-z hi', { env: { HERMES_ACCEPT_HOOKS: '1' } }));
  assert.ok(isRefused('-z hi', { at: '/tmp/other' }));
});

test('a mark that was taken away, or written over, is found above; what a person runs from a chat has none', () => {
  assert.ok(isRefused('config set a b', { env: { HERMES_SHELL_ID: '6a0f3a5e-0000-4000-8000-000000000000' } }));
  const id = '6a0f3a5e-0000-4000-8000-000000000000';
  assert.ok(!isRefused('config set a b', { env: { HERMES_SHELL_ID: id }, above: { mark: id, home: home.path } }));
  assert.ok(
    isRefused('config set a b', { env: { HERMES_SHELL_ID: value }, above: nobody }),
    'where nothing is known of those above',
  );
});

test('a lowered limit tells of an agent also where nothing else does; what was never lowered does not', () => {
  const limits = (locks: string): string =>
    `Max pending signals  1 1 signals\nMax file locks   ${locks}   ${locks}   locks\n`;
  for (const [locks, isAgent] of [
    [String(markedLocks), true],
    ['10', true],
    ['unlimited', false],
  ] as const) {
    const call = { argv: ['config', 'set', 'a', 'b'], name: 'config', home, env: {} };
    const refuse = () =>
      refuseUnderAgent(
        call,
        () => [nobody],
        () => limits(locks),
      );
    if (isAgent) assert.throws(refuse, /An agent cannot/, locks);
    else assert.doesNotThrow(refuse, locks);
  }
  assert.ok(!isRefused('-z hi', { above: agent }));
});

const skip = process.platform === 'linux' ? false : 'only Linux tells what other processes were started with';

test('under a marked shell it is refused by every name, also without the mark in its own environment', {
  skip,
}, async (t) => {
  const place = makePlace(t);
  symlinkSync(mainFile, join(place.work, 'tool.js'));
  const env = { ...place.env, HERMES_SHELL_ID: value, HERMES_HOME: place.home };
  const node = JSON.stringify(process.execPath);
  for (const command of [
    `${node} ${mainFile} config set approvals.mode off`,
    `${node} tool.js config set approvals.mode off; true`,
    `env -u HERMES_SHELL_ID -u HERMES_SESSION_ID ${node} ${mainFile} config set approvals.mode off; true`,
    `HERMES_SHELL_ID=x ${node} ${mainFile} --yolo -z hi; true`,
  ]) {
    const run = spawnSync('/bin/sh', ['-c', `${command}; :`], { cwd: place.work, env, encoding: 'utf8' });
    assert.match(run.stderr, /hermes: An agent cannot .* changed by a person only\.\nRun it yourself/, command);
  }
  const looks = spawnSync('/bin/sh', ['-c', `${node} ${mainFile} permissions; :`], {
    cwd: place.work,
    env,
    encoding: 'utf8',
  });
  assert.match(looks.stdout, /Nothing is allowed for good/);
  assert.equal((await hermes(place, ['config', 'set', 'approvals.timeout', '30'])).code, 0, 'by a person');
});

test('what left the agent’s processes behind, its environment too, is still known as its own', { skip }, async (t) => {
  const place = makePlace(t);
  const environment = createLocalEnvironment({
    cwd: place.work,
    env: { PATH: process.env['PATH'], HOME: place.env['HOME'] },
    sessionId: 's',
    homePath: place.home,
  });
  t.after(() => environment.close());
  const words = `${process.execPath} ${mainFile} config set approvals.mode off`;
  const clean = `env -i HOME=${place.env['HOME']} HERMES_HOME=${place.home} ${words}`;
  const ways = {
    setsid: `(setsid ${clean} > setsid.txt 2>&1 < /dev/null &)`,
    nohup: `(nohup setsid -f ${clean} > nohup.txt 2>&1 < /dev/null)`,
    python: `python3 -c "
import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        subprocess.run('${words}'.split(), env={'HOME': '${place.env['HOME']}', 'HERMES_HOME': '${place.home}'}, stdout=open('python.txt', 'w'), stderr=subprocess.STDOUT)
    os._exit(0)
"`,
  };
  const signal = new AbortController().signal;
  for (const [name, command] of Object.entries(ways)) {
    await environment.run(command, { timeoutMs: 20_000, signal });
    const out = `${place.work}/${name}.txt`;
    await until(() => existsSync(out) && readFileSync(out, 'utf8').includes('\n'), `${name} has ended`, 30_000);
    assert.match(readFileSync(out, 'utf8'), /An agent cannot run 'hermes config'/, name);
  }
  assert.ok(!existsSync(`${place.home}/config.yaml`));
});
