/** What the owner wrote down: which commands may run without a question, and which never. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AllowEntry } from '../../src/safety/allow-entry.ts';
import { allowedBy } from '../../src/safety/commands/allowed.ts';
import { deniedBy } from '../../src/safety/commands/denied.ts';

const paths = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  cwd: '/home/ann/work',
  workspace: '/home/ann/work',
};
const owner = ['echo', 'cat', 'ls', 'git status'];
const isAllowed = (command: string, entries: readonly AllowEntry[] = owner): boolean =>
  allowedBy(command, entries, paths) !== undefined;

test('the name of a program allows every way of it to look', () => {
  for (const command of [
    'echo hello',
    'echo "rm -rf /"',
    "echo 'sudo reboot'",
    'echo $VAR "${OTHER:-x}"',
    'echo $(ls) `cat a`',
    'cat a b',
    'cat < a 2>/dev/null',
    'cat <<EOF\nrm -rf x\nEOF',
    "cat <<'EOF' | cat\n$(rm x)\nEOF",
    'cat <<< text',
    'cat <(ls)',
    'ls -la | cat',
    'ls; echo done && cat x || echo no',
    'ls missing 2>&1',
    'git status',
    'git status --short',
    'git status -sb --porcelain',
    'git -C sub --no-pager status',
    'cd src && ls',
    'for f in *; do echo "$f"; done',
    'if [ -f x ]; then cat x; fi',
    'true && pwd',
    'x=1; echo $x',
    'LANG=C ls',
    'time ls',
    'command ls',
    "bash -c 'echo hi'",
    'ls | xargs echo',
    '/bin/ls',
    '! ls',
    '(ls; echo x)',
    'echo a\nls',
    'echo a # rm -rf x',
  ]) {
    assert.ok(isAllowed(command), command);
  }
});

test('and nothing else, however it hides', () => {
  for (const command of [
    'rm x',
    'echo x > file',
    'echo x >> ~/.bashrc',
    'cat a | tee b',
    'ls; rm x',
    'echo $(rm x)',
    'echo `rm x`',
    'cat <(rm x)',
    'cat <<EOF\n$(rm x)\nEOF',
    'ls | xargs rm',
    'ls | xargs -I{} {} x',
    "bash -c 'rm x'",
    'bash script.sh',
    'eval "rm x"',
    'sudo ls',
    'PATH=/tmp/x ls',
    'LD_PRELOAD=x ls',
    'GIT_DIR=x git status',
    'env PATH=x ls',
    './ls',
    '/tmp/ls',
    'LS',
    'git -c core.fsmonitor=evil status',
    'git push',
    'git log',
    'git stash',
    'ls() { rm x; }; ls',
    'alias ls=rm',
    "trap 'rm x' EXIT",
    '$x y',
    'echo "${x@P}"',
    'echo $((x))',
    'cat < /dev/tcp/x.test/80',
    'ls >| file',
    'ls &> file',
    '{ ls; } > file',
    'exec ls > file',
    'find . -exec rm {} +',
    'echo "unbalanced',
    'export PATH=x',
    'PATH=x',
    'coproc ls',
    '/usr/bin/time -o made ls',
    'command time -o made ls',
    'env -S "touch made" ls',
    'exec ls',
    'ls 3<> made',
    'ls >& made',
    "echo 'touch made' | sh",
    'echo x | xargs -I{} sh -c {}',
    'echo "${a[$(touch made)]}"',
    '[[ x =~ $(touch made) ]] && ls',
    'case x in x) touch made;; esac',
    'echo {a,b}$(touch made)',
    'ls\r\ntouch made',
    'ls\u00a0x',
    "env 'BASH_FUNC_ls%%=() { touch made; }' bash -c ls",
    'git --git-dir=/tmp/x status',
    'git --exec-path=. status',
    'cat ~/.ssh/id_rsa',
    'cat ~/.hermes/.env',
    'cat < ~/.netrc',
    'cat /proc/1/environ',
    'ls \u202e',
    '',
  ]) {
    assert.ok(!isAllowed(command), command);
  }
});

test('the words of a pattern are the words of the call; a star at its end stands for any more', () => {
  assert.ok(isAllowed('npm run build', ['npm run *']));
  assert.ok(isAllowed('npm run build -- --watch', ['npm run *']));
  assert.ok(!isAllowed('npm install x', ['npm run *']));
  assert.ok(!isAllowed('npm run --script-shell=evil build', ['npm run *']));
  assert.ok(isAllowed('rm -rf src', ['rm *']));
  assert.ok(isAllowed('make test', ['make test']));
  assert.ok(!isAllowed('make test SHELL=evil', ['make test']));
  assert.ok(!isAllowed('make', ['make test']));
  assert.ok(isAllowed('./run.sh a', ['./run.sh *']));
  assert.ok(!isAllowed('/tmp/run.sh a', ['run.sh *']));
  assert.ok(isAllowed('pytest test/a.py', ['pytest test/*.py']));
  assert.ok(!isAllowed('pytest test/$x', ['pytest test/*.py']));
  assert.ok(isAllowed('sudo apt update', ['sudo apt update']));
  assert.ok(!isAllowed('sudo apt install x', ['sudo apt update']));
  assert.ok(!isAllowed('git -c core.pager=evil log', ['git *']));
  assert.ok(!isAllowed('git -c alias.x=!rm x', ['git *']));
  assert.ok(isAllowed('git commit -m "a b"', ['git commit -m "a b"']));
  assert.ok(isAllowed('cat ~/.ssh/config', ['cat *']));
});

test('an entry may hold in one folder, and a command as it was written', () => {
  const here: AllowEntry = { pattern: 'git push *', folder: '/home/ann/work' };
  assert.ok(isAllowed('git push origin main', [here]));
  assert.ok(isAllowed('cd sub && git push origin main', [here, 'cd']));
  assert.ok(!isAllowed('cd /srv/other && git push origin main', [here]));
  assert.ok(!isAllowed('git push', [{ pattern: 'git push *', folder: '/home/ann/workshop' }]));
  const exact: AllowEntry = { command: 'terraform apply && echo $x > done', folder: '/home/ann/work' };
  assert.ok(isAllowed('terraform apply && echo $x > done', [exact]));
  assert.ok(!isAllowed('terraform apply && echo $x > other', [exact]));
  assert.ok(!isAllowed('terraform apply && echo $x > done', [{ ...exact, folder: '/srv' }]));
  assert.ok(!isAllowed('terraform apply', ['terraform plan']));
});

test('a forbidden program is found wherever a call of it hides', () => {
  for (const command of [
    'rm x',
    '/bin/rm x',
    '\\rm x',
    'r""m x',
    'RM x',
    'ls; rm x',
    'ls | xargs rm',
    'find . -exec rm {} +',
    'bash -c "rm x"',
    'eval "rm x"',
    'echo $(rm x)',
    'cat <<EOF\n$(rm x)\nEOF',
    'f() { rm x; }; f',
    'alias l="rm x"',
    "trap 'rm x' EXIT",
    'x=rm; $x y',
    'env rm x',
    'busybox rm x',
    'nohup rm x',
    'sudo ls',
    'ls && sudo -u bob ls',
    'sudo -s',
    'python3 -c "import os; os.system(\'rm x\')"',
    "python3 -c \"import subprocess; subprocess.run(['/bin/rm', 'x'])\"",
    'rm "unbalanced',
    `${'echo a;'.repeat(20_000)} rm x`,
    "git -c alias.x='!rm y' x",
  ]) {
    assert.ok(deniedBy(command, ['rm', 'sudo'], paths), command.slice(-80));
  }
  for (const command of ['echo rm', 'ls rm', 'git rm', 'grep "sudo rm" x', 'rmdir x', 'cat rm.txt', 'npm run rm']) {
    assert.equal(deniedBy(command, ['rm', 'sudo'], paths), undefined, command);
  }
});

test('the words of a forbidden pattern are found past options', () => {
  const forbids = (pattern: string, command: string): boolean => deniedBy(command, [pattern], paths) !== undefined;
  for (const command of [
    'git push',
    'git push --force origin main',
    'git -C sub push',
    'git --no-pager push',
    'git -c a=b -C x push',
    'sudo git push',
  ]) {
    assert.ok(forbids('git push', command), command);
  }
  for (const command of ['git commit -m push', 'git stash push', 'git pull']) {
    assert.ok(!forbids('git push', command), command);
  }
  assert.ok(forbids('git push --force', 'git push origin main --force'));
  assert.ok(!forbids('git push --force', 'git push origin main'));
  assert.ok(forbids('rm -r', 'rm -fr x'));
  assert.ok(forbids('npm *', 'npm test'));
  assert.ok(forbids('sudo apt', 'sudo -n apt update'));
  assert.ok(!forbids('sudo apt', 'apt update'));
});
