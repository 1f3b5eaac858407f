/** What commands say when the sandbox kept them from something, as programs really say it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withheldIn } from '../../../../src/environments/local/sandbox/withheld.ts';
import { makeDirectory } from '../../support.ts';

const context = {
  cwd: '/work',
  hidden: [],
  readOnly: ['/work/.git/config', '/work/AGENTS.md', '/home/ann'],
  reachesHosts: false,
};

for (const [line, what] of [
  ["touch: cannot touch '/etc/x': Read-only file system", '/etc/x'],
  ['/usr/bin/bash: line 12: /home/ann/.bashrc: Read-only file system', '/home/ann/.bashrc'],
  ['bash: line 1: AGENTS.md: Read-only file system', '/work/AGENTS.md'],
  ["OSError: [Errno 30] Read-only file system: '/usr/lib/x.py'", '/usr/lib/x.py'],
  ["Error: EROFS: read-only file system, open '/opt/a b'", '/opt/a b'],
  ['npm error EROFS: read-only file system, mkdir \u2018/home/ann/.npm\u2019', '/home/ann/.npm'],
  ['tee: /etc/hosts: Read-only file system', '/etc/hosts'],
  ['error: could not write config file .git/config: Device or resource busy', '/work/.git/config'],
  ["mv: cannot move 'AGENTS.md' to 'x': Device or resource busy", '/work/AGENTS.md'],
  ["mv: cannot move '.git' to 'x': Device or resource busy", '/work/.git'],
  ['something is a Read-only file system', 'a read-only place'],
] as const) {
  test(`a write is recognised in: ${line}`, () => {
    assert.deepEqual(withheldIn(`before\n${line}\nafter`, context), [{ kind: 'write', what }]);
  });
}

for (const [line, what] of [
  ['curl: (6) Could not resolve host: Example.org', 'example.org'],
  ['fatal: unable to access \u2019https://github.com/a/b/\u2019: Could not resolve host: github.com', 'github.com'],
  ['  cause: Error: getaddrinfo EAI_AGAIN registry.npmjs.org', 'registry.npmjs.org'],
  ['wget: unable to resolve host address \u2018example.org\u2019', 'example.org'],
  [
    'dial tcp: lookup proxy.golang.org on 127.0.0.53:53: dial udp 127.0.0.53:53: connect: network is unreachable',
    'proxy.golang.org',
  ],
  ["Failed to resolve 'pypi.org' ([Errno -3] Temporary failure in name resolution)", 'pypi.org'],
  ['ping: connect: Network is unreachable', 'a host'],
] as const) {
  test(`a host is recognised in: ${line}`, () => {
    assert.deepEqual(withheldIn(line, context), [{ kind: 'network', what }]);
    assert.deepEqual(withheldIn(line, { ...context, reachesHosts: true }), []);
  });
}

test('what is not there outside either, and what is busy for other reasons, was not kept from anybody', (t) => {
  const home = makeDirectory(t);
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/key'), '');
  const hidden = [join(home, '.ssh'), join(home, '.aws')];
  const output = [
    `cat: ${home}/.ssh/key: No such file or directory`,
    `cat: ${home}/.ssh/other: No such file or directory`,
    `cat: ${home}/.aws/credentials: No such file or directory`,
    'ls: /nowhere: No such file or directory',
    "umount: '/mnt': Device or resource busy",
  ].join('\n');
  assert.deepEqual(withheldIn(output, { ...context, hidden }), [{ kind: 'read', what: join(home, '.ssh/key') }]);
});

test('of many only twenty are told, each once, and long lines cost nothing', () => {
  const lines = Array.from({ length: 90 }, (_, index) => `tee: /etc/f${index % 45}: Read-only file system`);
  assert.equal(withheldIn([...lines, `${"'".repeat(5_000_000)} EROFS`].join('\n'), context).length, 20);
});
