/** `hermes hooks`: what is shown of shell hooks, trying them, and taking a yes back. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from '../../src/cli/commands/hooks.ts';
import { ShellHookAllowlist } from '../../src/plugins/shell-hooks/allowlist.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { contextOn } from './config/run-command.ts';

/** The command in this process, on a home with one hook. */
function commandOn(t: TestContext, body: string) {
  const { home, env, write } = temporaryHome(t);
  const path = join(home.path, 'check.sh');
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  write('config.yaml', `hooks:\n  pre_tool_call:\n    - {command: ${path}, matcher: terminal}\n`);
  const printed = { out: '', err: '' };
  const io = { stdin: process.stdin, stdout: writerTo(printed, 'out'), stderr: writerTo(printed, 'err') };
  const context = contextOn({ home, env: { ...env, PATH: process.env['PATH'] } }, io);
  const run = async (...args: string[]): Promise<string> => {
    printed.out = '';
    await build(context).exitOverride().parseAsync(args, { from: 'user' });
    return printed.out;
  };
  return { run, path, context, allowlist: new ShellHookAllowlist(home.path), home };
}

function writerTo(printed: { out: string; err: string }, name: 'out' | 'err'): NodeJS.WriteStream {
  return Object.create(process.stdout, {
    write: { value: (text: string) => (printed[name] += text) !== '' },
  });
}

test('the list says which hooks may run, and that a script has changed since', async (t) => {
  const { run, path, allowlist } = commandOn(t, 'true');
  assert.match(
    await run('list'),
    /\[pre_tool_call\]\n {4}- .*check\.sh matcher="terminal" \(timeout=60s, ✗ not allowed yet\)/,
  );
  await allowlist.allow({ point: 'pre_tool_call', command: path });
  assert.match(await run(), /✓ allowed\)\n {6}allowed at \d{4}-/);
  const later = new Date(Date.now() + 60_000);
  utimesSync(path, later, later);
  assert.match(await run('ls'), /⚠ its script was changed since it was allowed/);
  assert.match(await run('revoke', path), /Taken back/);
  assert.deepEqual(allowlist.approvals(), []);
  await assert.rejects(run('rm', path), /was allowed/);
});

test('a hook can be tried with made-up data, for a tool, and with data of one’s own', async (t) => {
  const { run, home, context } = commandOn(
    t,
    `cat > "$HERMES_HOME/heard.json"; echo '{"decision":"block","reason":"no"}'; exit 3`,
  );
  assert.match(
    await run('test', 'pre_tool_call', '--for-tool', 'read_file'),
    /No shell hook is configured for pre_tool_call and read_file/,
  );
  const payload = join(home.path, 'payload.json');
  writeFileSync(payload, '{"session_id": "mine"}');
  const shown = await run('test', 'pre_tool_call', '--for-tool', 'terminal', '--payload-file', payload);
  assert.match(shown, /exit=3 {2}elapsed=[\d.]+s\n/);
  assert.match(shown, /it says: \{"action":"block","message":"no"\}/);
  assert.equal(JSON.parse(readFileSync(join(home.path, 'heard.json'), 'utf8')).session_id, 'mine');
  assert.equal(context.exitCode, 0);
  await assert.rejects(run('test', 'pre_tool'), /no event of hooks/);
});

test('the check tries only what may run', async (t) => {
  const { run, path, allowlist, home, context } = commandOn(t, `touch "$HERMES_HOME/ran"; echo nonsense`);
  assert.match(await run('doctor'), /✓ its program can be run\n {4}✗ it is not allowed yet.*\n\n1 problem\./);
  assert.equal(existsSync(join(home.path, 'ran')), false);
  await allowlist.allow({ point: 'pre_tool_call', command: path });
  assert.match(await run('doctor'), /✗ what it printed is no JSON \(exit 0/);
  assert.equal(context.exitCode, 1);
  chmodSync(path, 0o644);
  assert.match(await run('doctor'), /✗ its program is not there or cannot be run/);
});
