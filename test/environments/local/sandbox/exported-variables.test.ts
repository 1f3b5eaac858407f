/** Exported variables that pass between shells: read as plain text, never run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { exportChanges, readExports } from '../../../../src/environments/local/sandbox/exported-variables.ts';
import { changesMeaning } from '../../../../src/safety/programs/variables.ts';

for (const shell of ['/bin/bash', '/bin/dash']) {
  const skip = existsSync(shell) ? false : `${shell} is not here`;
  test(`what ${shell} exports is read as it is, whatever the values hold`, { skip }, () => {
    const value = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((text) => !text.includes('\0') && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), (values) => {
        const env = Object.fromEntries(values.map((text, index) => [`V${index}`, text]));
        const text = execFileSync(shell, ['-c', 'export -p'], {
          env: { ...env, LC_ALL: 'C.UTF-8' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const read = readExports(text);
        for (const [name, expected] of Object.entries(env)) assert.equal(read.get(name), expected);
      }),
      { numRuns: 60 },
    );
  });
}

test('forged reports bring nothing but text', () => {
  const forged = [
    'declare -x GOOD="yes"',
    'declare -x BAD=$(touch /tmp/x)',
    'declare -x OPEN="no end',
    'rm -rf /',
    'declare -f f () { :; }',
    'declare -x "QUOTED NAME"="x"',
    'declare -ix NUMBER="3"',
    "export LAST='o'\\''k'",
  ].join('\n');
  const read = readExports(forged);
  assert.deepEqual([read.get('GOOD'), read.get('NUMBER'), read.get('LAST')], ['yes', '3', "o'k"]);
  assert.equal(read.get('BAD'), undefined);
  assert.deepEqual([...readExports(forged.replace('"no end', '"an end"')).keys()], ['GOOD', 'OPEN', 'NUMBER', 'LAST']);
});

test('changes name what is new, other or gone, and nothing that every shell has for itself', () => {
  const before = new Map([
    ['A', '1'],
    ['B', '2'],
    ['PWD', '/a'],
    ['HERMES_HOME', '/h'],
  ]);
  const after = new Map([
    ['A', '1'],
    ['C', '3'],
    ['PWD', '/b'],
    ['SHLVL', '2'],
    ['HERMES_HOME', '/evil'],
  ]);
  assert.deepEqual(
    [...exportChanges(before, after)],
    [
      ['C', '3'],
      ['B', undefined],
    ],
  );
});

test('variables that change what programs mean are known, plain ones are not among them', () => {
  for (const name of [
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'BASH_ENV',
    'ENV',
    'IFS',
    'PS4',
    'PROMPT_COMMAND',
    'GIT_SSH_COMMAND',
    'GIT_DIR',
    'GIT_CONFIG_COUNT',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'NODE_OPTIONS',
    'NODE_PATH',
    'npm_config_prefix',
    'NPM_CONFIG_REGISTRY',
    'PERL5OPT',
    'PERL5LIB',
    'RUBYOPT',
    'EDITOR',
    'PAGER',
    'VISUAL',
    'LESSOPEN',
    'HOME',
    'SHELL',
    'http_proxy',
    'HTTPS_PROXY',
    'GLIBC_TUNABLES',
    'DYLD_INSERT_LIBRARIES',
    'JAVA_TOOL_OPTIONS',
    'CARGO_HOME',
    'RUSTC_WRAPPER',
    'GOFLAGS',
    'GOPROXY',
    'CC',
    'MAKEFLAGS',
    'TAR_OPTIONS',
    'SSH_AUTH_SOCK',
    'SSH_ASKPASS',
    'KUBECONFIG',
    'DOCKER_HOST',
    'AWS_PROFILE',
    'XDG_CONFIG_HOME',
    'HERMES_HOME',
    'CURL_HOME',
    'WGETRC',
    'BROWSER',
    'SHELLOPTS',
    'BASHOPTS',
    'GLOBIGNORE',
    'CDPATH',
    'TMPDIR',
    'SUDO_ASKPASS',
  ]) {
    assert.ok(changesMeaning(name), name);
  }
  for (const name of ['DEBUG', 'PORT', 'CI', 'FOO', 'LANG', 'TZ', 'NODE_ENV', 'STAGE']) {
    assert.ok(!changesMeaning(name), name);
  }
});
