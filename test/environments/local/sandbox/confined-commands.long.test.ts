/** What confined commands may touch: files, settings, repositories, secrets. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeWorkplace } from '../../support.ts';
import type { Confinement } from '../../../../src/environments/environment.ts';
import { makeMachine, open, secret, whyNoSandbox } from './support.ts';

const skip = await whyNoSandbox();

test('confined commands write the workspace, temporary folders and caches, and read the rest', { skip }, async (t) => {
  const { run, home, workspace } = makeMachine(t);
  mkdirSync(join(home, '.cache/ccache'), { recursive: true });
  const wrote = await run(
    'echo a > made.txt && echo b > ~/.cache/ccache/x && f=$(mktemp) && echo c > $f && rm $f; cat ~/notes.txt',
  );
  assert.deepEqual([wrote.exitCode, wrote.output], [0, 'mine\n']);
  assert.equal(readFileSync(join(workspace, 'made.txt'), 'utf8'), 'a\n');
  const git = await run(
    'git add -A && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline | wc -l',
  );
  assert.equal(git.output.trim(), '2');
});

test('what a command was kept from is told with its result, each once', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  const result = await run('touch ~/x ~/x; cat ~/.ssh/id_ed25519; git config a.b c; echo y > ~/.bashrc');
  assert.deepEqual(result.withheld, [
    { kind: 'write', what: join(home, 'x') },
    { kind: 'read', what: join(home, '.ssh/id_ed25519') },
    { kind: 'write', what: join(home, 'project/.git/config') },
    { kind: 'write', what: join(home, '.bashrc') },
  ]);
  assert.equal((await run('ls /nowhere; false')).withheld, undefined);
});

test('commands with input are confined too', { skip }, async (t) => {
  const { run } = makeMachine(t);
  const result = await run('cat; cat ~/.netrc; echo x > ~/notes.txt', { stdin: 'from stdin\n' });
  assert.match(result.output, /^from stdin\n.*Read-only file system\n$/s);
});

test('settings that a command outside has replaced are kept from commands inside as before', { skip }, async (t) => {
  const { run, outside, home } = makeMachine(t);
  await run('true');
  await outside(
    'git config user.name outside; mkdir -p ~/.aws2 && rm -rf ~/.aws && mv ~/.aws2 ~/.aws && echo key > ~/.aws/credentials',
  );
  const result = await run('echo evil >> .git/config; cat ~/.aws/credentials');
  assert.deepEqual(result.withheld, [
    { kind: 'write', what: join(home, 'project/.git/config') },
    { kind: 'read', what: join(home, '.aws/credentials') },
  ]);
  assert.doesNotMatch(readFileSync(join(home, 'project/.git/config'), 'utf8'), /evil/);
});

test('rules for agents are written freely, and stay as they are behind a gate', { skip }, async (t) => {
  const { run, workspace } = makeMachine(t);
  const rules = (): string => readFileSync(join(workspace, 'AGENTS.md'), 'utf8');
  assert.equal((await run('echo free > AGENTS.md.new && mv AGENTS.md.new AGENTS.md')).exitCode, 0);
  assert.equal(rules(), 'free\n');
  const confinement: Confinement = { network: { allows: () => true } };
  const kept = await run('echo evil > AGENTS.md; mv AGENTS.md x; ln -sf /tmp/evil AGENTS.md; rm -f AGENTS.md', {
    confinement,
  });
  assert.equal(rules(), 'free\n');
  assert.deepEqual(kept.withheld, [{ kind: 'write', what: join(workspace, 'AGENTS.md') }]);
});

test('git is trusted in a repository that was kept from confined commands, and in none that they have made', {
  skip,
}, async (t) => {
  const { run, environment, home, workspace } = makeMachine(t);
  assert.equal(await environment.keepsGitSettings(join(workspace, 'made')), true);
  await run(
    'mkdir -p made deep/er && git init -q made; mkdir -p bare/objects && echo ref > bare/HEAD && echo "[core]" > bare/config',
  );
  for (const [folder, kept] of [
    [workspace, true],
    [join(workspace, 'deep/er'), true],
    [join(home, 'other'), true],
    [join(workspace, 'made'), false],
    [join(workspace, 'bare'), false],
  ] as const) {
    assert.equal(await environment.keepsGitSettings(folder), kept, folder);
  }
  await run('echo /tmp/evil > .git/commondir');
  assert.equal(await environment.keepsGitSettings(workspace), false);
});

test('secrets that come to be while a sandbox runs are hidden from it', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  rmSync(join(home, '.ssh'), { recursive: true });
  rmSync(join(home, '.netrc'));
  await run('true');
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id_rsa'), secret);
  writeFileSync(join(home, '.netrc'), secret);
  assert.doesNotMatch((await run('cat ~/.ssh/id_rsa ~/.netrc')).output, new RegExp(secret));
});

test('secrets behind a symbolic link are hidden where they lie', { skip }, async (t) => {
  const { run, home } = makeMachine(t);
  mkdirSync(join(home, 'vault'));
  writeFileSync(join(home, 'vault/key'), secret);
  rmSync(join(home, '.ssh'), { recursive: true });
  symlinkSync(join(home, 'vault'), join(home, '.ssh'));
  assert.doesNotMatch((await run('cat ~/.ssh/key ~/vault/key')).output, new RegExp(secret));
});

test('what is kept anew does not lay open what lies hidden in it', { skip }, async (t) => {
  const { run, home, workspace } = makeMachine(t);
  mkdirSync(join(workspace, '.vscode/deep'), { recursive: true });
  await run('true');
  renameSync(join(workspace, '.vscode'), join(workspace, 'old'));
  mkdirSync(join(workspace, '.vscode'));
  writeFileSync(join(workspace, '.vscode/tasks.json'), 'new');
  const result = await run('echo evil > .vscode/tasks.json; cat ~/.ssh/id_ed25519; cat .vscode/tasks.json');
  assert.doesNotMatch(result.output, new RegExp(secret));
  assert.match(result.output, /new$/);
  assert.ok(existsSync(join(home, '.ssh/id_ed25519')));
});

test('an environment without a sandbox refuses confined commands and says why', async (t) => {
  const { environment, run, directory } = makeWorkplace(t);
  assert.match((await environment.confinementProblem()) ?? '', /terminal\.sandbox/);
  await assert.rejects(run('touch ran', { confinement: open }), /was not run: it cannot be confined/);
  await assert.rejects(environment.spawn('touch ran', { pty: false, confinement: open }), /cannot be confined/);
  assert.equal(existsSync(join(directory, 'ran')), false);
});
