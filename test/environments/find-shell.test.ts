/** Which shell is taken, and what the search path becomes. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { completePath, findShell, searchPath } from '../../src/environments/local/find-shell.ts';
import { makeDirectory } from './support.ts';

const standard = '/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const hasBash = existsSync('/bin/bash') || existsSync('/usr/bin/bash');

/** A directory with executable files of these names. */
function programs(t: TestContext, ...names: string[]): string {
  const directory = makeDirectory(t);
  for (const name of names) writeFileSync(join(directory, name), '#!/bin/sh\n', { mode: 0o755 });
  return directory;
}

test('bash from PATH comes first', (t) => {
  const directory = programs(t, 'bash');
  assert.deepEqual(findShell({ PATH: `/nowhere:${directory}`, SHELL: '/bin/sh' }), {
    path: join(directory, 'bash'),
    dialect: 'bash',
  });
});

test('without bash on PATH its usual places are tried, whatever SHELL says', { skip: !hasBash && 'no bash' }, (t) => {
  const directory = programs(t, 'zsh');
  assert.equal(findShell({ PATH: directory, SHELL: join(directory, 'zsh') }).dialect, 'bash');
  assert.equal(findShell({}).dialect, 'bash');
});

test('a relative entry of PATH, a directory and a file without the right to run are no shell', (t) => {
  const directory = makeDirectory(t);
  mkdirSync(join(directory, 'folder', 'bash'), { recursive: true });
  mkdirSync(join(directory, 'file'));
  writeFileSync(join(directory, 'file', 'bash'), '', { mode: 0o644 });
  const { path } = findShell({ PATH: `.:bin:${join(directory, 'folder')}:${join(directory, 'file')}` });
  assert.ok(!path.startsWith(directory) && path.startsWith('/'), path);
});

test('standard directories that are missing from the search path come at its end', () => {
  assert.equal(completePath(undefined), standard);
  assert.equal(completePath(''), standard);
  assert.equal(completePath('/mine'), `/mine:${standard}`);
  const rest = '/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin';
  assert.equal(completePath('/bin:/mine::/usr/bin'), `/bin:/mine:/usr/bin:${rest}`, 'each of them once');
});

test('a program is the first executable file of its name, links followed, directories not', (t) => {
  const [first, second] = [makeDirectory(t), programs(t, 'tool', 'other')];
  mkdirSync(join(first, 'tool'));
  symlinkSync(join(second, 'other'), join(first, 'link'));
  const path = `relative:${first}:${second}`;
  assert.equal(searchPath('tool', path), join(second, 'tool'));
  assert.equal(searchPath('link', path), join(first, 'link'));
  assert.equal(searchPath('missing', path), undefined);
  assert.equal(searchPath('tool', undefined), undefined);
  assert.equal(searchPath(join(second, 'tool'), undefined), join(second, 'tool'));
});
