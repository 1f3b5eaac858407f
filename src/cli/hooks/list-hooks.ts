/** `hermes hooks list` and `revoke`. */
import { ShellHookAllowlist, scriptChangedAt } from '../../plugins/shell-hooks/allowlist.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { configuredHooks } from './configured-hooks.ts';

export async function listHooks(context: CliContext): Promise<void> {
  const print = (line: string): boolean => context.io.stdout.write(`${line}\n`);
  const { hooks, allowlist } = await configuredHooks(context);
  if (hooks.length === 0) return void print('No shell hooks are configured (hooks in config.yaml).');
  const sorted = hooks.toSorted((left, right) => left.point.localeCompare(right.point));
  print(`${counted(hooks.length, 'shell hook')}:`);
  for (const [point, all] of Map.groupBy(sorted, (hook) => hook.point)) {
    print(`\n  [${point}]`);
    for (const hook of all) {
      const approval = allowlist.find(hook);
      const matcher = hook.matcher === undefined ? '' : ` matcher=${JSON.stringify(hook.matcher)}`;
      const state = approval === undefined ? '✗ not allowed yet' : '✓ allowed';
      print(`    - ${hook.command}${matcher} (timeout=${hook.timeoutSeconds}s, ${state})`);
      if (approval?.approved_at !== undefined) print(`      allowed at ${approval.approved_at}`);
      const change = changedSince(hook.command, approval?.script_mtime_at_approval);
      if (change !== undefined) print(`      ⚠ ${change}`);
    }
  }
}

/** What changed in a script since it was allowed, in words; undefined for nothing. */
export function changedSince(command: string, then: string | null | undefined): string | undefined {
  const now = scriptChangedAt(command);
  if (now === undefined || typeof then !== 'string' || Date.parse(now) <= Date.parse(then)) return undefined;
  return `its script was changed since it was allowed (then ${then}, now ${now})`;
}

export async function revokeHook({ home, io }: CliContext, command: string): Promise<void> {
  const gone = await new ShellHookAllowlist(home.path).revoke(command);
  if (gone === 0) {
    throw new UserError(`No shell hook '${command}' was allowed.`, { hint: "'hermes hooks list' shows them." });
  }
  io.stdout.write(`Taken back: ${command} (${counted(gone, 'event')}). What runs now keeps it until its next start.\n`);
}
