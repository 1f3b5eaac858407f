/** The one policy in front of the tools: what runs, what asks, what is refused, and what is remembered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalChoice } from '../../../src/agent/human.ts';
import type { PolicyDecision } from '../../../src/agent/policy.ts';
import { createPolicy, type PolicyOptions } from '../../../src/tools/policy/policy.ts';

const signal = new AbortController().signal;

function setUp(options: Partial<PolicyOptions> = {}) {
  const stored: string[][] = [];
  const policy = createPolicy({
    mode: 'manual',
    yolo: () => false,
    headless: 'deny',
    backendIsContainer: false,
    allowlist: [],
    persist: async (keys) => void stored.push([...keys]),
    homePath: '/home/ann/.hermes',
    userHome: '/home/ann',
    files: {
      resolve: (path) => (path.startsWith('/') ? path : `/home/ann/work/${path}`),
      realPath: async (path) => path.replace('/home/ann/work/link/', '/etc/'),
    },
    cwd: () => '/home/ann/work',
    ...options,
  });
  const judge = (tool: string, args: Record<string, unknown>, more: { present?: boolean; session?: string } = {}) =>
    policy.judge({ tool, args, sessionId: more.session ?? 's1', humanPresent: more.present ?? true }, signal);
  const run = (command: string, more: { present?: boolean; session?: string } = {}) =>
    judge('terminal', { command }, more);
  return { stored, judge, run };
}

async function answer(decision: PolicyDecision, choice: ApprovalChoice): Promise<PolicyDecision> {
  assert.equal(decision.kind, 'ask');
  return decision.kind === 'ask' ? await decision.settle(choice) : decision;
}

test('a command with nothing against it runs', async () => {
  const { run, judge } = setUp();
  assert.equal((await run('ls -la')).kind, 'allow');
  assert.equal((await judge('read_file', { path: 'x' })).kind, 'allow');
});

test('the root directory is never deleted: not with yolo, off, headless approve, a container or an allowlist', async () => {
  const settings: Partial<PolicyOptions>[] = [
    { yolo: () => true },
    { mode: 'off' },
    { headless: 'approve' },
    { backendIsContainer: true },
    { allowlist: ['recursive delete', 'rm', 'delete in root path'] },
  ];
  for (const options of settings) {
    for (const present of [true, false]) {
      const decision = await setUp(options).run('sudo rm -rf /', { present });
      assert.equal(decision.kind, 'refuse');
      if (decision.kind !== 'refuse') continue;
      const { result } = decision;
      assert.deepEqual({ ...result, error: '' }, { output: '', exit_code: -1, error: '', status: 'blocked' });
      assert.match(String(result['error']), /recursive delete of the root directory.*Do not retry/);
    }
  }
});

test('a dangerous command asks with the command byte for byte, its reasons and keys', async () => {
  const decision = await setUp().run('rm -rf ./build && chmod 777 x');
  assert.equal(decision.kind, 'ask');
  if (decision.kind !== 'ask') return;
  assert.deepEqual(decision.request, {
    command: 'rm -rf ./build && chmod 777 x',
    reasons: ['recursive delete', 'world-writable permissions'],
    keys: ['recursive delete', 'world-writable permissions'],
    mayRemember: true,
  });
});

test('no and no answer both refuse and say not to retry', async () => {
  for (const choice of ['deny', 'timeout'] as const) {
    const settled = await answer(await setUp().run('rm -rf ./build'), choice);
    assert.equal(settled.kind, 'refuse');
    if (settled.kind === 'refuse') assert.match(String(settled.result['error']), /recursive delete.*Do not retry/);
  }
});

test('once holds once, session for the session, always for all and in the configuration', async () => {
  const { run, stored } = setUp();
  assert.equal((await answer(await run('rm -rf a'), 'once')).kind, 'allow');
  assert.equal((await answer(await run('rm -rf a'), 'session')).kind, 'allow');
  assert.equal((await run('rm -r b')).kind, 'allow');
  assert.equal((await run('rm -rf a', { session: 's2' })).kind, 'ask');
  assert.deepEqual(stored, []);
  assert.equal((await answer(await run('rm -rf a', { session: 's2' }), 'always')).kind, 'allow');
  assert.equal((await run('rm -rf a', { session: 's3' })).kind, 'allow');
  await answer(await run('chmod 777 x'), 'always');
  assert.deepEqual(stored, [['recursive delete'], ['recursive delete', 'world-writable permissions']]);
});

test('an old allowlist entry suppresses the question', async () => {
  assert.equal((await setUp({ allowlist: ['rm'] }).run('rm -rf ./build')).kind, 'allow');
  assert.equal(
    (await setUp({ allowlist: ['recursive delete'] }).run('rm -rf ./build', { present: false })).kind,
    'allow',
  );
});

test('an approval of one finding does not cover another in the same command', async () => {
  const { run } = setUp({ allowlist: ['recursive delete'] });
  const decision = await run('rm -rf a; chmod 777 x');
  assert.equal(decision.kind, 'ask');
  if (decision.kind === 'ask') assert.deepEqual(decision.request.keys, ['world-writable permissions']);
});

test('when nobody can be asked, only commands with nothing against them run', async () => {
  const { run } = setUp();
  assert.equal((await run('ls', { present: false })).kind, 'allow');
  const refused = await run('chmod 777 x', { present: false });
  assert.equal(refused.kind, 'refuse');
  if (refused.kind === 'refuse')
    assert.match(String(refused.result['error']), /world-writable.*nobody can be asked.*Do not retry/);
  assert.equal((await setUp({ headless: 'approve' }).run('chmod 777 x', { present: false })).kind, 'allow');
});

test('yolo and approvals switched off skip the question', async () => {
  assert.equal((await setUp({ yolo: () => true }).run('rm -rf ./build')).kind, 'allow');
  assert.equal((await setUp({ mode: 'off' }).run('rm -rf ./build')).kind, 'allow');
  assert.equal((await setUp({ mode: 'smart' }).run('rm -rf ./build')).kind, 'ask');
});

test('in a container everything but the end of the machine runs', async () => {
  assert.equal((await setUp({ backendIsContainer: true }).run('rm -rf /tmp/x')).kind, 'allow');
});

test('a change to the agent’s own rules is asked for every time and refused when nobody is there', async () => {
  const command = 'echo "approvals: {mode: off}" > ~/.hermes/config.yaml';
  for (const options of [
    {},
    { yolo: () => true },
    { mode: 'off' },
    { headless: 'approve' },
  ] as Partial<PolicyOptions>[]) {
    const { run, stored } = setUp(options);
    for (const choice of ['always', 'session'] as const) {
      const decision = await run(command);
      if (decision.kind === 'ask') assert.equal(decision.request.mayRemember, false);
      assert.equal((await answer(decision, choice)).kind, 'allow');
    }
    assert.equal((await run(command)).kind, 'ask');
    assert.equal((await run(command, { present: false })).kind, 'refuse');
    assert.deepEqual(stored, []);
  }
});

test('what cannot be judged may be approved for the session only', async () => {
  const { run, stored } = setUp();
  assert.equal((await answer(await run('$tool x'), 'always')).kind, 'allow');
  assert.equal((await run('$tool x')).kind, 'allow');
  assert.equal((await run('$tool x', { session: 's2' })).kind, 'ask');
  assert.deepEqual(stored, []);
});

test('an approval that cannot be stored is told and holds for the session', async () => {
  const { run } = setUp({ persist: () => Promise.reject(new Error('config.yaml is read-only')) });
  await assert.rejects(answer(await run('rm -rf a'), 'always'), /read-only/);
  assert.equal((await run('rm -rf a')).kind, 'allow');
});

test('the directory of the call counts', async () => {
  const { judge } = setUp();
  assert.equal((await judge('terminal', { command: 'rm -rf *', workdir: '/' })).kind, 'refuse');
  assert.equal((await judge('terminal', { command: 'echo x > hosts', workdir: '/etc' })).kind, 'ask');
  assert.equal((await judge('terminal', { command: 'echo x > hosts' })).kind, 'allow');
});

test('text typed into a shell is judged like a command, also in pieces', async () => {
  const { judge } = setUp({
    processCommand: (id) => (id === 'proc_shell' ? 'bash' : id === 'proc_app' ? 'npm create vite' : undefined),
  });
  const type = (id: string, action: string, data: string) => judge('process', { action, session_id: id, data });
  assert.equal((await type('proc_shell', 'submit', 'ls')).kind, 'allow');
  assert.equal((await type('proc_shell', 'submit', 'rm -rf x')).kind, 'ask');
  assert.equal((await type('proc_shell', 'submit', 'rm -rf /')).kind, 'refuse');
  assert.equal((await type('proc_unknown', 'submit', 'rm -rf /')).kind, 'refuse');
  assert.equal((await type('proc_app', 'submit', "it's fine")).kind, 'allow');
  assert.equal((await judge('process', { action: 'kill', session_id: 'proc_shell' })).kind, 'allow');
  for (const piece of ['r', 'm -r', 'f']) {
    const decision = await type('proc_shell', 'write', piece);
    if (decision.kind === 'ask') await decision.settle('once');
  }
  assert.equal((await type('proc_shell', 'write', ' /\n')).kind, 'refuse');
});

test('files outside the safe root need a person, wherever their links lead', async () => {
  const { judge } = setUp({ safeRoot: '/home/ann/work' });
  assert.equal((await judge('write_file', { path: 'a.txt' })).kind, 'allow');
  assert.equal((await judge('write_file', { path: '/home/ann/work-2/a.txt' })).kind, 'ask');
  assert.equal((await judge('write_file', { path: 'link/hosts' })).kind, 'ask');
  assert.equal((await judge('write_file', { path: '/tmp/a.txt' }, { present: false })).kind, 'refuse');
  const patch =
    '*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Add File: /tmp/b.txt\n+x\n*** Move File: a -> /srv/c\n*** End Patch';
  const decision = await judge('patch', { mode: 'patch', patch });
  assert.equal(decision.kind, 'ask');
  if (decision.kind !== 'ask') return;
  assert.deepEqual(decision.request.reasons, [
    'write outside HERMES_WRITE_SAFE_ROOT: /tmp/b.txt',
    'write outside HERMES_WRITE_SAFE_ROOT: /srv/c',
  ]);
  assert.equal(decision.request.mayRemember, false);
  const denied = await decision.settle('deny');
  if (denied.kind === 'refuse') assert.deepEqual(Object.keys(denied.result), ['error']);
});

test('the target of a move is judged as the patch tool reads it', async () => {
  const { judge } = setUp({ safeRoot: '/home/ann/work' });
  const patch = '*** Move File: a->b -> /srv/c';
  assert.equal((await judge('patch', { mode: 'patch', patch })).kind, 'ask');
});

test('a search does not start in a credential directory', async () => {
  const { judge } = setUp();
  assert.equal((await judge('search_files', { pattern: 'x', path: '/home/ann/.ssh' })).kind, 'refuse');
  assert.equal((await judge('search_files', { pattern: 'x', path: '.' })).kind, 'allow');
});

test('after text from outside a write to memory, skills or the character needs a person, whatever is switched off', async () => {
  const learned = [
    ['terminal', { command: 'echo x >> ~/.hermes/memories/MEMORY.md' }],
    ['write_file', { path: '/home/ann/.hermes/skills/a/SKILL.md', content: 'x' }],
    ['patch', { mode: 'patch', patch: '*** Begin Patch\n*** Add File: /home/ann/.hermes/SOUL.md\n+x\n*** End Patch' }],
  ] as const;
  const clean = setUp({ outside: () => [] });
  const touched = setUp({ outside: () => ['a web page'], yolo: () => true, mode: 'off', headless: 'approve' });
  for (const [tool, args] of learned) {
    assert.equal((await clean.judge(tool, args)).kind, 'allow', tool);
    const decision = await touched.judge(tool, args);
    assert.equal(decision.kind, 'ask', tool);
    if (decision.kind !== 'ask') continue;
    const { reasons, mayRemember } = decision.request;
    assert.deepEqual(reasons, ['changes memory or skills, after text from outside entered (a web page)']);
    assert.equal(mayRemember, false);
    assert.equal((await decision.settle('always')).kind, 'allow');
    assert.equal((await touched.judge(tool, args)).kind, 'ask', 'asked every time');
    assert.equal((await touched.judge(tool, args, { present: false })).kind, 'refuse');
  }
  assert.equal((await touched.judge('write_file', { path: 'notes.md', content: 'x' })).kind, 'allow');
  assert.equal((await touched.run('cat ~/.hermes/memories/MEMORY.md')).kind, 'allow');
});
