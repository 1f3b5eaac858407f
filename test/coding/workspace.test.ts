/** What counts as a workspace, what is known of it, and what a session is told. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { projectFacts } from '../../src/coding/project-facts.ts';
import { workspaceSnapshot } from '../../src/coding/snapshot.ts';
import { findWorkspace } from '../../src/coding/workspace.ts';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import { codingRules } from '../../src/prompt/coding-rules.ts';
import { focusedIndex } from '../../src/prompt/focused-index.ts';

function place(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-coding-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) put(root, name, text);
  return root;
}

function put(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

test('a workspace is the nearest directory with a marker, or a git tree with source in it', (t) => {
  const root = place(t, { 'a/b/c/x.txt': '' });
  const deep = join(root, 'a', 'b', 'c');
  assert.equal(findWorkspace(deep, '/home/nobody'), undefined);
  put(root, '.git/HEAD', 'ref: refs/heads/main\n');
  assert.equal(findWorkspace(deep, '/home/nobody'), undefined, 'a git tree without source');
  put(root, 'src/main.py', '');
  assert.deepEqual(findWorkspace(deep, '/home/nobody'), { root, gitRoot: root });
  put(root, 'a/package.json', '{}');
  assert.deepEqual(findWorkspace(deep, '/home/nobody'), { root: join(root, 'a'), gitRoot: root });
});

test('a home that is a git tree makes no workspace of what lies in it', (t) => {
  const home = place(t, { '.git/HEAD': '', 'run.py': '', 'notes/x.txt': '' });
  assert.equal(findWorkspace(join(home, 'notes'), home), undefined);
  put(home, 'notes/go.mod', '');
  assert.deepEqual(findWorkspace(join(home, 'notes'), home), { root: join(home, 'notes') });
});

test('the commands that check a project come from its files', (t) => {
  const scripts = { test: 'x', lint: 'x', start: 'x' };
  const root = place(t, {
    'package.json': JSON.stringify({ scripts }),
    'pnpm-lock.yaml': '',
    'pyproject.toml': '[tool.pytest.ini_options]\n',
    Makefile: 'build: x\n\techo\nfmt := 1\n',
    'AGENTS.md': '',
  });
  assert.deepEqual(projectFacts(root), {
    root,
    manifests: ['pyproject.toml', 'package.json', 'Makefile'],
    packageManagers: ['pnpm'],
    verifyCommands: ['pnpm run test', 'pnpm run lint', 'pytest', 'make build'],
    contextFiles: ['AGENTS.md'],
  });
  put(root, 'package.json', '{"scripts": 3');
  assert.deepEqual(projectFacts(root).verifyCommands, ['pytest', 'make build']);
});

test('the snapshot tells how the git tree stands, and runs nothing that the tree names', async (t) => {
  const root = place(t, { 'package.json': '{}', 'a.txt': 'a\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@x.test', ...args], { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'first step');
  git('config', 'core.fsmonitor', `touch ${root}/owned; false`);
  put(root, 'a.txt', 'b\n');
  put(root, 'new.txt', '');
  const environment = createLocalEnvironment({
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root },
    sessionId: 's',
    homePath: root,
  });
  t.after(() => environment.close());
  const text = await workspaceSnapshot({ root, gitRoot: root }, environment);
  assert.match(
    text,
    /- Branch: main\n- Status: 1 modified, 1 untracked\n- Recent commits: \w+ first step\n- Project: package\.json$/m,
  );
  assert.deepEqual(
    await workspaceSnapshot({ root }, environment),
    `${text.split('\n').slice(0, 3).join('\n')}\n- Project: package.json`,
  );
});

test('each family of models is told its way to edit', () => {
  assert.match(codingRules('gpt-5.5'), /mode "patch"\.$/);
  assert.match(codingRules('anthropic/claude-sonnet-5'), /mode "replace"\.$/);
  assert.doesNotMatch(codingRules('unheard-of'), /mode "/);
});

test('a session for code alone sees the names of other skills only', () => {
  const index = '<available_skills>\n  dev: D\n    - a: does A\n  music: M\n    - b: does B\n</available_skills>';
  assert.equal(
    focusedIndex(index),
    '<available_skills>\n  dev: D\n    - a: does A\n  music:\n    - b\n</available_skills>',
  );
});
