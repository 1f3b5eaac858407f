/** Looking at what people keep to themselves is not harmless: where there is a sandbox, there is nothing of it to see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCommand } from '../../src/safety/commands/judge.ts';

const places = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  cwd: '/home/ann/work',
  workspace: '/home/ann/work',
  follow: (path: string) => path.replace('/home/ann/work/link', '/home/ann/.config/gh'),
};

test('files of logins, browsers and shells, other processes, and what may turn out to be one, are contained', () => {
  for (const command of [
    'cat ~/.config/gh/hosts.yml',
    'cat link/hosts.yml',
    'tail ~/.bash_history',
    'grep -r PRIVATE ~',
    'rg -uu PRIVATE /',
    'cat ~/*',
    'cat ~/.hermes/.e*',
    'grep -r KEY ~/.hermes',
    'cat "$f"',
    'cat $(find ~ -name .env)',
    'find ~ -name id_rsa -exec cat {} +',
    'wc -c < ~/.config/gcloud/x',
    'cat /dev/fd/3',
    'ps eww',
  ]) {
    const { verdict, place, unknown, findings } = judgeCommand(command, places);
    assert.deepEqual([verdict, place, findings], ['unknown', 'sandbox', []], command);
    assert.deepEqual(unknown, ['a look at private places'], command);
  }
});

test('what a process was started with is asked about where there is no sandbox', () => {
  for (const command of ['cat /proc/$PPID/environ', 'strings /proc/1/mem', "tr '\\0' '\\n' < /proc/1234/environ"]) {
    const { findings } = judgeCommand(command, places);
    assert.deepEqual(
      findings.map(({ key, containable }) => [key, containable]),
      [['read of a credential file', true]],
      command,
    );
  }
});

test('names and sizes are no secret, and the work, the machine and our own notes may be looked at', () => {
  for (const command of [
    'ls ~/.ssh',
    'echo ~/.ssh/x $VAR',
    'test -f ~/.netrc',
    'cat src/*.ts ../other/notes.md',
    'grep -rn "a b" .',
    'cat /proc/cpuinfo /etc/os-release',
    'cat ~/.hermes/memories/MEMORY.md',
    'ps aux',
    'for f in *.ts; do head "$f"; done',
  ]) {
    assert.equal(judgeCommand(command, places).verdict, 'harmless', command);
  }
});

test('a home that is worked in keeps its private places', () => {
  const atHome = { ...places, cwd: '/home/ann', workspace: '/home/ann' };
  assert.equal(judgeCommand('cat .config/gh/hosts.yml', atHome).verdict, 'unknown');
  assert.equal(judgeCommand('cat notes.md', atHome).verdict, 'harmless');
});
