/** The one policy in front of the tools: what runs, what asks, what is refused, and what is remembered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { defineTool } from '../../../src/agent/define-tool.ts';
import type { ApprovalChoice } from '../../../src/agent/human.ts';
import type { PolicyDecision } from '../../../src/agent/policy.ts';
import { answer as said, type Tool } from '../../../src/agent/tool.ts';
import { processSettings } from '../../../src/config/process-settings.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import type { Source } from '../../../src/llm/source.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { finding, type Judgement, learnedNote, wantsApproval } from '../../../src/safety/finding.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { searchFilesTool } from '../../../src/tools/file/search-files.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { processTool } from '../../../src/tools/terminal/process.ts';
import { terminalTool } from '../../../src/tools/terminal/terminal.ts';
import { aPage, policyWith, servicesOver } from '../support.ts';

interface Caller {
  readonly present?: boolean;
  readonly session?: string;
}

const paths = { homePath: '/home/ann/.hermes', root: '/home/ann/.hermes', userHome: '/home/ann' };
const environment = {
  kind: 'local',
  cwd: '/home/ann/work',
  shellIsAltered: false,
  keepsGitSettings: () => Promise.resolve(true),
  confinementProblem: () => Promise.resolve('there is no sandbox'),
  files: {
    resolve: (path: string) => (path.startsWith('/') ? path : `/home/ann/work/${path}`),
    realPath: async (path: string) => path.replace('/home/ann/work/link/', '/etc/'),
  },
} as unknown as Environment;

function setUp(options: Partial<PolicyOptions> = {}, changes: Partial<ToolServices> = {}) {
  const stored: string[][] = [];
  const policy = policyWith({ persist: async (keys) => void stored.push([...keys]), ...options });
  const services = servicesOver(environment, paths, changes);
  const judge = async (tool: Tool<ToolServices>, args: JsonObject, more: Caller = {}) => {
    const prepared = tool.prepare(args);
    assert.ok('judge' in prepared, JSON.stringify(prepared));
    return await policy.decide(
      {
        tool: tool.name,
        args: prepared.args,
        sessionId: more.session ?? 's1',
        humanPresent: more.present ?? true,
        judge: () => prepared.judge(services),
      },
      new AbortController().signal,
    );
  };
  const run = (command: string, more: Caller = {}) => judge(terminalTool, { command }, more);
  return { stored, judge, run };
}

/** A tool that finds this about every call; undefined: that says nothing about itself. */
function toolThatFinds(judgement: Judgement | undefined): Tool<ToolServices> {
  const parameters = z.object({ text: z.string().optional() });
  return defineTool<ToolServices, typeof parameters>({
    name: 'mystery',
    toolset: 'others',
    description: 'Nobody knows.',
    parameters,
    display: { preview: () => '' },
    ...(judgement === undefined ? {} : { judge: () => judgement }),
    parallel: 'never',
    execute: () => Promise.resolve(said({})),
  });
}

async function answer(decision: PolicyDecision, choice: ApprovalChoice): Promise<PolicyDecision> {
  assert.equal(decision.kind, 'ask');
  return decision.kind === 'ask' ? await decision.settle(choice) : decision;
}

test('a command with nothing against it runs', async () => {
  const { run, judge } = setUp();
  assert.deepEqual(await run('ls -la'), { kind: 'allow', staged: false });
  assert.equal((await judge(readFileTool, { path: 'x' })).kind, 'allow');
});

test('a tool that says nothing of itself is asked about each session, and refused when nobody is there', async () => {
  const { judge, stored } = setUp();
  const mystery = toolThatFinds(undefined);
  assert.equal((await judge(mystery, {}, { present: false })).kind, 'refuse');
  const decision = await judge(mystery, { text: 'x' });
  assert.equal(decision.kind, 'ask');
  if (decision.kind !== 'ask') return;
  assert.deepEqual(decision.request, {
    tool: 'mystery',
    command: 'mystery {"text":"x"}',
    reasons: ['nothing is known about the tool mystery'],
    keys: ['nothing is known about the tool mystery'],
    mayRemember: false,
    sources: [],
  });
  await decision.settle('always');
  assert.equal((await judge(mystery, {})).kind, 'allow');
  assert.equal((await judge(mystery, {}, { session: 's2' })).kind, 'ask');
  assert.deepEqual(stored, []);
});

test('where nobody is there a change that may wait is kept for later, unless something else is against it', async () => {
  const note = learnedNote('a note');
  const { judge } = setUp({ entered: () => aPage });
  const alone = { present: false };
  assert.deepEqual(await judge(toolThatFinds({ shown: '', findings: [note] }), {}, alone), {
    kind: 'allow',
    staged: true,
  });
  const both = toolThatFinds({ shown: '', findings: [note, finding('recursive delete')] });
  assert.equal((await judge(both, {}, alone)).kind, 'refuse');
  const clean = setUp();
  assert.deepEqual(await clean.judge(toolThatFinds({ shown: '', findings: [note] }), {}, alone), {
    kind: 'allow',
    staged: false,
  });
  const wanted = toolThatFinds({ shown: '', findings: [wantsApproval('a note')] });
  assert.equal((await setUp({ yolo: () => true }).judge(wanted, {})).kind, 'ask');
});

test('an answer for the session about what the owner wants to look at holds for that session, with yolo as without', async () => {
  for (const yolo of [false, true]) {
    const { judge, stored } = setUp({ yolo: () => yolo });
    const wanted = toolThatFinds({ shown: '', findings: [wantsApproval('a note')] });
    await answer(await judge(wanted, {}), 'session');
    assert.equal((await judge(wanted, {})).kind, 'allow');
    assert.equal((await judge(wanted, {}, { session: 's2' })).kind, 'ask');
    assert.deepEqual(stored, []);
  }
});

test('an answer for the session about a note after outside text holds until more text from outside enters', async () => {
  const entered: Source[] = [...aPage];
  const { judge } = setUp({ entered: () => entered });
  const note = toolThatFinds({ shown: '', findings: [learnedNote('a note')] });
  await answer(await judge(note, {}), 'session');
  assert.equal((await judge(note, {})).kind, 'allow');
  entered.push({ from: 'page', name: 'y.test' });
  assert.equal((await judge(note, {})).kind, 'ask');
});

test('what is told of an allowed call is told once, and not of a refused one', async () => {
  let allowed = 0;
  const tool = toolThatFinds({ shown: '', findings: [finding('disk copy')], onAllowed: () => (allowed += 1) });
  const { judge } = setUp();
  await answer(await judge(tool, {}), 'deny');
  await judge(tool, {}, { present: false });
  assert.equal(allowed, 0);
  await answer(await judge(tool, {}), 'once');
  assert.equal(allowed, 1);
});

test('the root directory is never deleted: not with yolo, off, headless approve, a container or an allowlist', async () => {
  const settings: Partial<PolicyOptions>[] = [
    { yolo: () => true },
    { mode: 'off' },
    { headless: 'approve' },
    {},
    { allowlist: ['recursive delete', 'rm', 'delete in root path'] },
  ];
  for (const options of settings) {
    for (const present of [true, false]) {
      for (const insideContainer of [true, false]) {
        const decision = await setUp(options, { insideContainer }).run('sudo rm -rf /', { present });
        assert.equal(decision.kind, 'refuse');
        if (decision.kind !== 'refuse') continue;
        assert.match(decision.message, /recursive delete of the root directory.*Do not retry/);
      }
    }
  }
  const prepared = terminalTool.prepare({ command: 'rm -rf /' });
  assert.ok('refusal' in prepared);
  assert.deepEqual(prepared.refusal('no'), { output: '', exit_code: -1, error: 'no', status: 'blocked' });
});

test('a dangerous command asks with the command byte for byte, its reasons and keys', async () => {
  const decision = await setUp().run('rm -rf ./build && chmod 777 x');
  assert.equal(decision.kind, 'ask');
  if (decision.kind !== 'ask') return;
  assert.deepEqual(decision.request, {
    tool: 'terminal',
    command: 'rm -rf ./build && chmod 777 x',
    folder: '/home/ann/work',
    reasons: ['recursive delete', 'world-writable permissions'],
    keys: ['recursive delete', 'world-writable permissions'],
    mayRemember: true,
    scopes: { command: 'this very command in /home/ann/work' },
    sources: [],
  });
});

test('no and no answer both refuse and say not to retry', async () => {
  for (const choice of ['deny', 'timeout'] as const) {
    const settled = await answer(await setUp().run('rm -rf ./build'), choice);
    assert.equal(settled.kind, 'refuse');
    if (settled.kind === 'refuse') assert.match(settled.message, /recursive delete.*Do not retry/);
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
  if (refused.kind === 'refuse') assert.match(refused.message, /world-writable.*nobody can be asked.*Do not retry/);
  assert.equal((await setUp({ headless: 'approve' }).run('chmod 777 x', { present: false })).kind, 'allow');
});

test('yolo and approvals switched off skip the question', async () => {
  assert.equal((await setUp({ yolo: () => true }).run('rm -rf ./build')).kind, 'allow');
  assert.equal((await setUp({ mode: 'off' }).run('rm -rf ./build')).kind, 'allow');
  assert.equal((await setUp({ mode: 'smart' }).run('rm -rf ./build')).kind, 'ask');
});

test('in a container everything but the end of the machine runs', async () => {
  assert.equal((await setUp({}, { insideContainer: true }).run('rm -rf /tmp/x')).kind, 'allow');
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
  assert.equal((await judge(terminalTool, { command: 'rm -rf *', workdir: '/' })).kind, 'refuse');
  assert.equal((await judge(terminalTool, { command: 'echo x > hosts', workdir: '/etc' })).kind, 'ask');
  assert.equal((await judge(terminalTool, { command: 'echo x > hosts' })).kind, 'allow');
});

test('text typed into a shell is judged like a command, also in pieces', async () => {
  const running = [
    { id: 'proc_shell', command: 'bash' },
    { id: 'proc_app', command: 'npm create vite' },
  ];
  const processes = { list: () => running } as unknown as ToolServices['processes'];
  const { judge } = setUp({}, { processes });
  const type = (id: string, action: string, data: string) => judge(processTool, { action, session_id: id, data });
  assert.equal((await type('proc_shell', 'submit', 'ls')).kind, 'allow');
  assert.equal((await type('proc_shell', 'submit', 'rm -rf x')).kind, 'ask');
  assert.equal((await type('proc_shell', 'submit', 'rm -rf /')).kind, 'refuse');
  assert.equal((await type('proc_unknown', 'submit', 'rm -rf /')).kind, 'refuse');
  assert.equal((await type('proc_app', 'submit', "it's fine")).kind, 'allow');
  assert.equal((await judge(processTool, { action: 'kill', session_id: 'proc_shell' })).kind, 'allow');
  for (const piece of ['r', 'm -r', 'f']) {
    const decision = await type('proc_shell', 'write', piece);
    if (decision.kind === 'ask') await decision.settle('once');
  }
  assert.equal((await type('proc_shell', 'write', ' /\n')).kind, 'refuse');
});

const safeRoot = { processSettings: processSettings({ HERMES_WRITE_SAFE_ROOT: '/home/ann/work' }) };

test('files outside the safe root need a person, wherever their links lead', async () => {
  const { judge } = setUp({}, safeRoot);
  assert.equal((await judge(writeFileTool, { path: 'a.txt', content: '' })).kind, 'allow');
  assert.equal((await judge(writeFileTool, { path: '/home/ann/work-2/a.txt', content: '' })).kind, 'ask');
  assert.equal((await judge(writeFileTool, { path: 'link/hosts', content: '' })).kind, 'ask');
  assert.equal((await judge(writeFileTool, { path: '/tmp/a.txt', content: '' }, { present: false })).kind, 'refuse');
  const patch =
    '*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** Add File: /tmp/b.txt\n+x\n*** Move File: a -> /srv/c\n*** End Patch';
  const decision = await judge(patchTool, { mode: 'patch', patch });
  assert.equal(decision.kind, 'ask');
  if (decision.kind !== 'ask') return;
  assert.deepEqual(decision.request.reasons, [
    'write outside HERMES_WRITE_SAFE_ROOT: /tmp/b.txt',
    'write outside HERMES_WRITE_SAFE_ROOT: /srv/c',
  ]);
  assert.equal(decision.request.mayRemember, false);
  assert.equal((await decision.settle('deny')).kind, 'refuse');
});

test('the target of a move is judged as the patch tool reads it', async () => {
  const { judge } = setUp({}, safeRoot);
  const patch = '*** Move File: a->b -> /srv/c';
  assert.equal((await judge(patchTool, { mode: 'patch', patch })).kind, 'ask');
});

test('a search does not start in a credential directory', async () => {
  const { judge } = setUp();
  assert.equal((await judge(searchFilesTool, { pattern: 'x', path: '/home/ann/.ssh' })).kind, 'refuse');
  assert.equal((await judge(searchFilesTool, { pattern: 'x', path: '.' })).kind, 'allow');
});

test('after text from outside a write to memory, skills or the character needs a person, whatever is switched off', async () => {
  const learned = [
    [terminalTool, { command: 'echo x >> ~/.hermes/memories/MEMORY.md' }],
    [writeFileTool, { path: '/home/ann/.hermes/skills/a/SKILL.md', content: 'x' }],
    [
      patchTool,
      { mode: 'patch', patch: '*** Begin Patch\n*** Add File: /home/ann/.hermes/SOUL.md\n+x\n*** End Patch' },
    ],
  ] as const;
  const clean = setUp({ entered: () => [] });
  const touched = setUp({ entered: () => aPage, yolo: () => true, mode: 'off', headless: 'approve' });
  for (const [tool, args] of learned) {
    assert.equal((await clean.judge(tool, args)).kind, 'allow', tool.name);
    const decision = await touched.judge(tool, args);
    assert.equal(decision.kind, 'ask', tool.name);
    if (decision.kind !== 'ask') continue;
    const { reasons, mayRemember, sources } = decision.request;
    assert.deepEqual(reasons, [
      'changes what later conversations begin with, after text from outside entered (the web page x.test)',
    ]);
    assert.deepEqual(sources, ['the web page x.test']);
    assert.equal(mayRemember, false);
    assert.equal((await decision.settle('always')).kind, 'allow');
    assert.equal((await touched.judge(tool, args)).kind, 'ask', 'asked every time');
    assert.equal((await touched.judge(tool, args, { present: false })).kind, 'refuse');
  }
  assert.equal((await touched.judge(writeFileTool, { path: 'notes.md', content: 'x' })).kind, 'allow');
  assert.equal((await touched.run('cat ~/.hermes/memories/MEMORY.md')).kind, 'allow');
});

const aFile: readonly Source[] = [{ from: 'file', name: '/home/ann/work/notes.txt' }];

test('after text that somebody else may have written, what starts by itself later needs a person, whatever is switched off', async () => {
  const lasting = [
    'echo x >> ~/.bashrc',
    'crontab jobs.txt',
    'echo x > .git/hooks/pre-commit',
    'cp unit ~/.config/systemd/user/x.service',
    'systemctl --user enable x',
    'echo key >> ~/.ssh/authorized_keys',
    'git config core.hooksPath hooks',
    'cp x ~/.local/bin/git',
  ];
  const clean = setUp({ yolo: () => true });
  for (const entered of [aFile, aPage]) {
    const touched = setUp({ entered: () => entered, yolo: () => true, mode: 'off', headless: 'approve' });
    for (const command of lasting) {
      assert.equal((await clean.run(command)).kind, 'allow', command);
      assert.equal((await touched.run(command, { present: false })).kind, 'refuse', command);
      const decision = await touched.run(command);
      assert.equal(decision.kind, 'ask', command);
      if (decision.kind !== 'ask') continue;
      const { reasons, mayRemember, scopes } = decision.request;
      const named = entered === aFile ? /the file \/home\/ann\/work\/notes\.txt/ : /the web page x\.test/;
      assert.match(reasons.join('; '), named, command);
      assert.deepEqual([mayRemember, scopes], [false, undefined], command);
    }
    assert.equal((await touched.run('rm -rf src')).kind, 'allow', 'what does not last is still skipped');
  }
});

test('an older answer about a kind, and the owner’s list, let through nothing that lasts once somebody else may have had a word', async () => {
  let entered: readonly Source[] = [];
  const { run } = setUp({ entered: () => entered, allowlist: ['write to a shell start-up file'] });
  const write = 'echo x >> ~/.bashrc';
  assert.equal((await run(write)).kind, 'allow');
  await answer(await run('crontab jobs.txt'), 'session');
  assert.equal((await run('crontab jobs.txt')).kind, 'allow');
  entered = aFile;
  assert.equal((await run(write)).kind, 'ask');
  const asked = await run('crontab jobs.txt');
  assert.equal(asked.kind, 'ask');
  await answer(asked, 'session');
  assert.equal((await run('crontab jobs.txt')).kind, 'allow', 'a person has seen that a file entered');
  entered = [...aFile, ...aPage];
  assert.equal((await run('crontab jobs.txt')).kind, 'ask', 'a page is a new reason');
});
