/** `hermes hooks doctor`. Runs only what was allowed: a configuration that was just brought in must not run by being looked at. */
import { statSync } from 'node:fs';
import { scriptOf } from '../../plugins/shell-hooks/allowlist.ts';
import type { ShellHook } from '../../plugins/shell-hooks/read-hooks.ts';
import { runShellHook } from '../../plugins/shell-hooks/run-hook.ts';
import { commandWords } from '../../plugins/shell-hooks/split-words.ts';
import { counted } from '../../lib/counted.ts';
import { errorMessage } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { CliContext } from '../command.ts';
import { findProgram } from '../find-program.ts';
import { type ConfiguredHooks, configuredHooks } from './configured-hooks.ts';
import { changedSince } from './list-hooks.ts';
import { madeUpPayload } from './made-up.ts';

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

export async function checkHooks(context: CliContext): Promise<void> {
  const print = (line: string): boolean => context.io.stdout.write(`${line}\n`);
  const configured = await configuredHooks(context);
  if (configured.hooks.length === 0) return void print('No shell hooks are configured: there is nothing to check.');
  let problems = 0;
  for (const hook of configured.hooks) {
    print(`[${hook.point}] ${hook.command}`);
    for (const { ok, text } of await check(hook, configured)) {
      if (!ok) problems += 1;
      print(`    ${ok ? '✓' : '✗'} ${text}`);
    }
  }
  if (problems > 0) context.exitCode = 1;
  print(problems === 0 ? '\nAll of them are in order.' : `\n${counted(problems, 'problem')}.`);
}

async function check(hook: ShellHook, { allowlist, place }: ConfiguredHooks): Promise<readonly Finding[]> {
  const runs = canRun(hook.command, place.env);
  const approval = allowlist.find(hook);
  const findings = [
    { ok: runs, text: runs ? 'its program can be run' : 'its program is not there or cannot be run (chmod +x?)' },
  ];
  if (approval === undefined) {
    return [...findings, { ok: false, text: 'it is not allowed yet, does not run, and was not tried' }];
  }
  const change = changedSince(hook.command, approval.script_mtime_at_approval);
  findings.push({
    ok: true,
    text: `it was allowed${approval.approved_at === undefined ? '' : ` at ${approval.approved_at}`}`,
  });
  findings.push({ ok: change === undefined, text: change ?? 'its script is as it was then' });
  return runs ? [...findings, await tryOut(hook, place)] : findings;
}

async function tryOut(hook: ShellHook, place: ConfiguredHooks['place']): Promise<Finding> {
  try {
    const { signal } = new AbortController();
    const { code, stdout, seconds } = await runShellHook(hook, madeUpPayload(hook.point), place, signal);
    const how = `exit ${code ?? 'killed'}, ${seconds.toFixed(2)} s`;
    if (stdout.trim() === '') return { ok: code === 0, text: `it ran and said nothing (${how})` };
    const isJson = parseJson(stdout.trim()) !== undefined;
    return {
      ok: isJson && code === 0,
      text: `${isJson ? 'it said something in JSON' : 'what it printed is no JSON'} (${how})`,
    };
  } catch (error) {
    return { ok: false, text: errorMessage(error) };
  }
}

function canRun(command: string, env: ConfiguredHooks['place']['env']): boolean {
  const [program, ...rest] = commandWords(command) ?? [];
  if (program === undefined) return false;
  const found = findProgram(program, env) !== undefined;
  const script = scriptOf(command);
  return (
    found &&
    (rest.length === 0 ||
      script === undefined ||
      !script.includes('/') ||
      statSync(script, { throwIfNoEntry: false }) !== undefined)
  );
}
