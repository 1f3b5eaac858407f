/** Shell hooks: what is read from the configuration, what may run, and what a program hears and says. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { toolDirective } from '../../src/agent/hook-answers.ts';
import type { HookPayload } from '../../src/agent/hooks.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { HookRegistry } from '../../src/plugins/hook-registry.ts';
import { ShellHookAllowlist } from '../../src/plugins/shell-hooks/allowlist.ts';
import { openShellHooks, type ShellHooksOptions } from '../../src/plugins/shell-hooks/open-shell-hooks.ts';
import { matches, readShellHooks } from '../../src/plugins/shell-hooks/read-hooks.ts';
import { commandWords, splitWords } from '../../src/plugins/shell-hooks/split-words.ts';
import { temporaryHome } from '../config/temporary-home.ts';

interface Place {
  readonly homePath: string;
  /** A program of its own in the home; returns its path. */
  readonly script: (name: string, body: string) => string;
  readonly open: (
    block: JsonValue,
    more?: Partial<ShellHooksOptions>,
  ) => Promise<{ registry: HookRegistry; told: string[]; logged: string[] }>;
}

function placeIn(t: TestContext): Place {
  const homePath = temporaryHome(t).home.path;
  const folder = join(homePath, 'agent-hooks');
  return {
    homePath,
    script(name, body) {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${body}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    async open(block, more = {}) {
      const told: string[] = [];
      const logged: string[] = [];
      const log: Log = { ...noLog, warning: (line) => void logged.push(line) };
      const registry = new HookRegistry(log);
      t.after(() => registry.close());
      await openShellHooks(registry, {
        homePath,
        block,
        acceptsAll: true,
        env: { PATH: process.env['PATH'] ?? '' },
        cwd: homePath,
        log,
        warn: (line) => told.push(line),
        ...more,
      });
      return { registry, told, logged };
    },
  };
}

const call: HookPayload = {
  tool_name: 'terminal',
  args: { command: 'ls $HOME' },
  session_id: 's1',
  task_id: 't1',
  tool_call_id: 'c1',
};

test('a program that says block blocks, also when it fails; whatever else it prints means nothing', async (t) => {
  const { open, script } = placeIn(t);
  const said = async (body: string) => {
    const { registry, logged } = await open({ pre_tool_call: [{ command: script('check.sh', body) }] });
    return [toolDirective(await registry.call('pre_tool_call', () => call)), logged.length] as const;
  };
  const blocked = { action: 'block', by: 'hook check.sh' };
  assert.deepEqual(await said(`echo '{"decision":"block","reason":"no"}'`), [{ ...blocked, message: 'no' }, 0]);
  assert.deepEqual(await said(`echo '{"decision":"block","reason":"no"}'; exit 3`), [{ ...blocked, message: 'no' }, 1]);
  assert.deepEqual(await said(`echo '{"action":"block"}'`), [{ ...blocked, message: 'Blocked by shell hook.' }, 0]);
  assert.deepEqual(await said(`echo '{"action":"approve","message":"x"}'`), [undefined, 0]);
  assert.deepEqual(await said('echo nonsense'), [undefined, 0]);
  assert.deepEqual(await said(`echo '{"action":'`), [undefined, 0]);
});

test('it hears the call as JSON, in the folder of the program, and no shell reads its words', async (t) => {
  const { open, script, homePath } = placeIn(t);
  const path = script('note it.sh', `cat > heard.json; printf '%s' "$1" > word; env > env`);
  const { registry } = await open(
    { post_tool_call: [{ command: `'${path}' '$(touch pwned); $HOME'` }] },
    { env: { PATH: process.env['PATH'] ?? '', PLAIN: 'yes' } },
  );
  await registry.call('post_tool_call', () => ({ ...call, status: 'ok' }));
  assert.deepEqual(JSON.parse(readFileSync(join(homePath, 'heard.json'), 'utf8')), {
    hook_event_name: 'post_tool_call',
    tool_name: 'terminal',
    tool_input: { command: 'ls $HOME' },
    session_id: 's1',
    cwd: homePath,
    extra: { telemetry_schema_version: 'hermes.observer.v1', task_id: 't1', tool_call_id: 'c1', status: 'ok' },
  });
  assert.equal(readFileSync(join(homePath, 'word'), 'utf8'), '$(touch pwned); $HOME');
  assert.match(readFileSync(join(homePath, 'env'), 'utf8'), /^PLAIN=yes$/m);
});

test('one that is too slow, missing or cannot be run blocks nothing', async (t) => {
  const { open, script, homePath } = placeIn(t);
  const slow = script('slow.sh', 'exec sleep 600');
  const plain = join(homePath, 'plain.sh');
  writeFileSync(plain, 'echo no');
  for (const [command, words] of [
    [slow, /slow\.sh failed on pre_tool_call: it did not end within 1 s/],
    [join(homePath, 'gone.sh'), /gone\.sh failed .*ENOENT/],
    [plain, /plain\.sh failed .*EACCES/],
  ] as const) {
    const { registry, logged } = await open({ pre_tool_call: [{ command, timeout: 1 }] });
    assert.deepEqual(await registry.call('pre_tool_call', () => call), []);
    assert.match(logged[0] ?? '', words);
  }
});

test('context counts before a turn, and a turn goes on only with words for the model', async (t) => {
  const { open, script } = placeIn(t);
  const { registry } = await open({
    pre_llm_call: [{ command: script('a.sh', `echo '{"context":" today is Friday "}'`) }],
    pre_verify: [
      { command: script('b.sh', `echo '{"action":"continue"}'`) },
      { command: script('c.sh', `echo '{"decision":"block","reason":"run the tests"}'`) },
    ],
  });
  const values = async (point: 'pre_llm_call' | 'pre_verify') =>
    (await registry.call(point, () => ({ session_id: 's1' }))).map(({ value }) => value);
  assert.deepEqual(await values('pre_llm_call'), [{ context: 'today is Friday' }]);
  assert.deepEqual(await values('pre_verify'), [{ action: 'continue', message: 'run the tests' }]);
});

test('a matcher is a pattern for the whole name; what is none is the name itself', () => {
  assert.equal(matches({ matcher: 'read' }, 'read_file'), false);
  assert.equal(matches({ matcher: 'read_.*' }, 'read_file'), true);
  assert.equal(matches({ matcher: 'terminal|read_.*' }, 'terminal'), true);
  assert.equal(matches({ matcher: 'a(b' }, 'a(b'), true);
  assert.equal(matches({}, 'anything'), true);
});

test('what cannot be used in the configuration is told and left out', () => {
  const told: string[] = [];
  const hooks = readShellHooks(
    {
      output_spill: { max_chars: 5 },
      pre_tool_cal: [{ command: 'x' }],
      kanban_task_claimed: [{ command: 'x' }],
      on_session_end: 'x',
      pre_llm_call: [{ matcher: 'terminal', command: 'one', timeout: 900 }, { timeout: 5 }],
      pre_tool_call: [
        { matcher: 'terminal', command: 'two', timeout: 0 },
        { matcher: 'terminal', command: 'two', timeout: 7 },
        { command: '~/three.sh', timeout: '5' },
      ],
    },
    (line) => told.push(line),
  );
  assert.deepEqual(hooks, [
    { point: 'pre_llm_call', command: 'one', timeoutSeconds: 300 },
    { point: 'pre_tool_call', command: 'two', matcher: 'terminal', timeoutSeconds: 7 },
    { point: 'pre_tool_call', command: '~/three.sh', timeoutSeconds: 5 },
  ]);
  assert.match(told[0] ?? '', /pre_tool_cal: .*did you mean pre_tool_call\?/);
  assert.match(told[1] ?? '', /kanban_task_claimed: .*boards of tasks/);
  assert.match(told[2] ?? '', /on_session_end: must be a list/);
  assert.match(told[3] ?? '', /pre_llm_call\.0: a matcher has no meaning/);
  assert.match(told[4] ?? '', /900 seconds is too long; 300 is used/);
  assert.match(told[5] ?? '', /pre_llm_call\.1: needs a command/);
  assert.match(told[6] ?? '', /pre_tool_call\.0: its timeout must be 1 to 300 seconds; 60 is used/);
  assert.equal(told.length, 7);
});

test('a hook runs only when it was allowed, which is written down in the form of the original', async (t) => {
  const { open, script, homePath } = placeIn(t);
  const path = script('check.sh', `echo '{"context":"X"}'`);
  const when = new Date('2026-03-04T05:06:07.000Z');
  utimesSync(path, when, when);
  const block = { pre_llm_call: [{ command: path }], on_session_end: [{ command: path }] };
  const refused = await open(block, { acceptsAll: false });
  assert.deepEqual(await refused.registry.call('pre_llm_call', () => ({})), []);
  assert.equal(refused.told.length, 2);
  assert.match(refused.told[0] ?? '', /is not allowed yet and does not run/);

  const asked: string[] = [];
  const ask: ShellHooksOptions['ask'] = async ({ point }) => {
    asked.push(point);
    return point === 'pre_llm_call';
  };
  const half = await open(block, { acceptsAll: false, ask });
  assert.deepEqual(asked, ['pre_llm_call', 'on_session_end']);
  assert.equal((await half.registry.call('pre_llm_call', () => ({}))).length, 1);
  assert.equal(half.registry.has('on_session_end'), false);

  const text = readFileSync(join(homePath, 'shell-hooks-allowlist.json'), 'utf8');
  const [{ approved_at: at } = { approved_at: '' }] = new ShellHookAllowlist(homePath).approvals();
  assert.match(at ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const entry = {
    approved_at: at,
    command: path,
    event: 'pre_llm_call',
    script_mtime_at_approval: '2026-03-04T05:06:07.000Z',
  };
  assert.equal(text, JSON.stringify({ approvals: [entry] }, null, 2));

  const again = await open(block, { acceptsAll: false });
  assert.equal(again.registry.has('pre_llm_call'), true);
  assert.equal(await new ShellHookAllowlist(homePath).revoke(path), 1);
  const after = await open(block, { acceptsAll: false });
  assert.equal(after.registry.has('pre_llm_call'), false);
});

test('a list that cannot be read allows nothing', async (t) => {
  const { open, script, homePath } = placeIn(t);
  writeFileSync(join(homePath, 'shell-hooks-allowlist.json'), '{"approvals": [{"event": 5}, null, "x"');
  const { registry } = await open({ pre_llm_call: [{ command: script('a.sh', 'true') }] }, { acceptsAll: false });
  assert.equal(registry.has('pre_llm_call'), false);
});

test('commands are split like a shell does, and nothing in them is expanded but a leading ~', () => {
  assert.deepEqual(splitWords(`a 'b c' "d \\" e" f\\ g h''i`), ['a', 'b c', 'd " e', 'f g', 'hi']);
  assert.equal(splitWords(`a 'b`), undefined);
  assert.equal(splitWords('  '), undefined);
  assert.deepEqual(commandWords('~/x "$HOME" `id` ~bob a~', '/home/me'), ['/home/me/x', '$HOME', '`id`', '~bob', 'a~']);
});
