/** Which files the guard keeps from file tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPathGuard } from '../../src/safety/paths.ts';

const guard = createPathGuard({
  homePath: '/home/ann/.hermes/profiles/work',
  root: '/home/ann/.hermes',
  userHome: '/home/ann',
  extra: ['/srv/secret'],
});

test('credentials are neither read nor written', () => {
  for (const path of [
    '/home/ann/.ssh/id_ed25519',
    '/home/ann/.ssh/config',
    '/home/ann/.aws/credentials',
    '/home/ann/.gnupg/secring.gpg',
    '/home/ann/.kube/config',
    '/home/ann/.netrc',
    '/home/ann/.pgpass',
    '/home/ann/.npmrc',
    '/home/ann/.pypirc',
    '/home/ann/.hermes/.env',
    '/home/ann/.hermes/.env.bak',
    '/home/ann/.hermes/.op.env',
    '/home/ann/.hermes/cache/bws_cache.json',
    '/home/ann/.hermes/profiles/work/cache/op_cache.json',
    '/home/ann/.hermes/cache/.op_cache.json.42.tmp',
    '/home/ann/.hermes/auth.json',
    '/home/ann/.hermes/profiles/work/.env',
    '/home/ann/.hermes/profiles/other/.env',
    '/home/ann/.hermes/pairing/telegram-pending.json',
    '/home/ann/.hermes/platforms/pairing/telegram-approved.json',
    '/home/ann/.hermes/gateway/matrix-notes.json',
    '/home/ann/.hermes/gateway/handed-over/x.json',
    '/HOME/Ann/.SSH/ID_rsa',
    '/etc/shadow',
    '/srv/secret/a',
  ]) {
    assert.match(guard.denyRead(path) ?? '', /^Access denied: /, path);
    assert.match(guard.denyWrite(path) ?? '', /^Write denied: /, path);
  }
});

test('rules, records and start-up files are read but not written', () => {
  for (const path of [
    '/home/ann/.bashrc',
    '/home/ann/.zshrc',
    '/home/ann/.profile',
    '/home/ann/.bash_profile',
    '/home/ann/.zprofile',
    '/home/ann/.ssh/id_ed25519.pub',
    '/etc/passwd',
    '/etc/sudoers',
    '/etc/sudoers.d/x',
    '/etc/systemd/system/x.service',
    '/home/ann/.hermes/config.yaml',
    '/home/ann/.hermes/profiles/work/config.yaml',
    '/home/ann/.hermes/profiles/work/state.db',
    '/home/ann/.hermes/state.db-wal',
    '/home/ann/.hermes/shell-hooks-allowlist.json',
    '/home/ann/.hermes/hooks/a/handler.py',
    '/home/ann/.hermes/agent-hooks/x.sh',
    '/home/ann/.hermes/scripts/x.sh',
    '/home/ann/.hermes/cron/jobs.json',
    '/home/ann/.hermes/logs/agent.log',
    '/home/ann/.hermes/active_profile',
    '/proc/sysrq-trigger',
  ]) {
    assert.equal(guard.denyRead(path), undefined, path);
    assert.match(guard.denyWrite(path) ?? '', /^(?:Write denied|Refusing to write to Hermes config file): /, path);
  }
});

test('memories, skills and the user’s own files are free', () => {
  for (const path of [
    '/home/ann/.hermes/memories/MEMORY.md',
    '/home/ann/.hermes/skills/a/SKILL.md',
    '/home/ann/.hermes/SOUL.md',
    '/home/ann/.hermes/.env.example',
    '/home/ann/.hermes/cache/x',
    '/home/ann/work/.env.sample',
    '/home/ann/work/config.yaml',
    '/home/ann/.sshx/a',
    '/home/ann/.bashrc.d',
    '/tmp/state.db',
    '/dev/null',
  ]) {
    assert.equal(guard.denyRead(path), undefined, path);
    assert.equal(guard.denyWrite(path), undefined, path);
  }
});

test('a project’s file of secrets is not read, whatever project it is', () => {
  for (const name of ['.env', '.env.local', '.env.production', '.envrc', '.ENV']) {
    assert.match(guard.denyRead(`/home/ann/work/${name}`) ?? '', /^Access denied: /, name);
    assert.equal(guard.denyWrite(`/home/ann/work/${name}`), undefined, name);
  }
  for (const name of ['.env.example', 'x.env', '.env.d/a', '.environment']) {
    assert.equal(guard.denyRead(`/home/ann/work/${name}`), undefined, name);
  }
});

test('the skill catalogue is not read as a file', () => {
  assert.match(guard.denyRead('/home/ann/.hermes/skills/.hub/index.json') ?? '', /skills_list.*skill_view/);
});

test('secrets of running processes and raw devices are out of reach', () => {
  assert.ok(guard.denyRead('/proc/self/environ'));
  assert.ok(guard.denyRead('/proc/1/cmdline') && guard.denyRead('/proc/self/maps'));
  assert.ok(guard.denyRead('/proc/1/task/1/environ'));
  assert.equal(guard.denyRead('/proc/cpuinfo'), undefined);
  assert.ok(guard.denyWrite('/dev/sda'));
});

test('what the whole machine runs by is read but not written, and places for temporary files are free', () => {
  for (const path of [
    '/etc',
    '/etc/hosts',
    '/etc/nginx/nginx.conf',
    '/boot/grub/grub.cfg',
    '/usr/lib/systemd/system/x.service',
    '/private/etc/hosts',
    '/private/var/db/x',
    '/var/run/docker.sock',
    '/run/docker.sock',
  ]) {
    assert.equal(guard.denyRead(path), undefined, path);
    assert.match(guard.denyWrite(path) ?? '', /^Refusing to write to sensitive system path: /, path);
    assert.match(guard.denyMove(path) ?? '', /^Refusing to write/, path);
  }
  for (const path of ['/tmp/etc/x', '/private/var/folders/zz/T/x', '/private/tmp/x', '/srv/www/x']) {
    assert.equal(guard.denyWrite(path), undefined, path);
  }
});

test('a directory with something protected in it stays where it is', () => {
  for (const path of ['/', '/home', '/home/ann', '/home/ann/.hermes', '/home/ann/.config']) {
    assert.match(guard.denyMove(path) ?? '', /^Write denied: /, path);
  }
  assert.equal(guard.denyMove('/home/ann/work'), undefined);
});

test('a protected file is also protected where its link leads', () => {
  const links: Record<string, string> = {
    '/home/ann/.hermes/config.yaml': '/home/ann/dotfiles/hermes.yaml',
    '/home/ann/.ssh': '/vault/ssh',
    '/home/ann/.hermes/skills': '/home/ann/dotfiles/skills',
    '/home/ann/.hermes/auth.json': '/home/ann/.hermes/logins',
  };
  const linked = createPathGuard({
    homePath: '/home/ann/.hermes',
    root: '/home/ann/.hermes',
    userHome: '/home/ann',
    follow: (path) => links[path] ?? path,
  });
  assert.ok(linked.denyWrite('/home/ann/dotfiles/hermes.yaml'));
  assert.ok(linked.denyRead('/vault/ssh/id_rsa'));
  assert.ok(linked.denyRead('/home/ann/.hermes/logins'), 'also where it leads to another name in the home');
  assert.ok(linked.denyMove('/home/ann/dotfiles'));
  assert.ok(linked.isLearned('/home/ann/dotfiles/skills/foo/SKILL.md'));
  assert.equal(linked.isLearned('/home/ann/dotfiles/skills-of-mine'), false);
});

test('the program itself is not changed by what it runs, except where somebody works on it', () => {
  const paths = { homePath: '/home/ann/.hermes', root: '/home/ann/.hermes', userHome: '/home/ann' };
  const program = '/home/ann/hermes-agent';
  const elsewhere = createPathGuard({ ...paths, program, workspace: '/home/ann/work' });
  for (const path of ['package.json', 'dist/main.js', 'bin/hermes.mjs', 'node_modules/zod/index.js']) {
    assert.match(elsewhere.denyWrite(`${program}/${path}`) ?? '', /part of Hermes itself/);
    assert.ok(elsewhere.denyMove(`${program}/${path}`));
  }
  assert.ok(elsewhere.denyMove(program) && elsewhere.denyMove('/home/ann'));
  assert.equal(elsewhere.denyRead(`${program}/package.json`), undefined);
  assert.equal(elsewhere.denyWrite('/home/ann/hermes-agent-notes/a.md'), undefined);
  const inside = createPathGuard({ ...paths, program, workspace: `${program}/src` });
  assert.equal(inside.denyWrite(`${program}/package.json`), undefined);
});
