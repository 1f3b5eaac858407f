/** Registers the shell hooks of the configuration, as far as the owner has allowed them. */
import type { HookPayload } from '../../agent/hooks.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { HookRegistry } from '../hook-registry.ts';
import { ShellHookAllowlist, scriptOf } from './allowlist.ts';
import { matches, readShellHooks, type ShellHook } from './read-hooks.ts';
import { type HookPlace, runShellHook } from './run-hook.ts';

export interface ShellHooksOptions extends HookPlace {
  readonly homePath: string;
  /** `hooks` of the configuration, as it is written. */
  readonly block: JsonValue | undefined;
  /** The owner said beforehand that all of them may run. */
  readonly acceptsAll: boolean;
  /** Asks the person at the terminal; absent where nobody sits there. */
  readonly ask?: ((hook: ShellHook) => Promise<boolean>) | undefined;
  readonly log: Log;
  readonly warn: (line: string) => void;
}

/** Beyond the timeout of the hook itself, so that it is the hook that is told to be late. */
const slackMs = 5000;

/** Never rejects: a hook that may not run is told and left out. */
export async function openShellHooks(registry: HookRegistry, options: ShellHooksOptions): Promise<void> {
  const allowlist = new ShellHookAllowlist(options.homePath);
  for (const hook of readShellHooks(options.block, options.warn)) {
    if (!(await isAllowed(hook, allowlist, options))) {
      options.warn(
        `hooks: ${hook.point}: '${hook.command}' is not allowed yet and does not run. Start 'hermes' in a terminal and say yes, or use --accept-hooks.`,
      );
      continue;
    }
    const by = `hook ${nameOf(hook)}`;
    const deadlineMs = hook.timeoutSeconds * 1000 + slackMs;
    registry.add({
      point: hook.point,
      by,
      deadlineMs,
      listen: (payload, signal) => fire(hook, payload, options, signal),
    });
    options.log.info(`${by} hears ${hook.point}`);
  }
}

async function isAllowed(
  hook: ShellHook,
  allowlist: ShellHookAllowlist,
  { acceptsAll, ask, log }: ShellHooksOptions,
): Promise<boolean> {
  if (allowlist.find(hook) !== undefined) return true;
  if (!acceptsAll && (await ask?.(hook)) !== true) return false;
  try {
    await allowlist.allow(hook);
  } catch (error) {
    log.warning('a shell hook was allowed, which could not be written down: it is asked again next time', error);
  }
  return true;
}

async function fire(
  hook: ShellHook,
  payload: HookPayload,
  { log, ...place }: ShellHooksOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const tool = payload['tool_name'];
  if (typeof tool === 'string' && !matches(hook, tool)) return undefined;
  try {
    const run = await runShellHook(hook, payload, place, signal);
    if (run.code !== 0)
      log.warning(`${nameOf(hook)} ended with ${run.code} on ${hook.point}: ${run.stderr.trim().slice(-300)}`);
    else if (run.said === undefined && run.stdout.trim() !== '') {
      log.debug(`${nameOf(hook)} printed on ${hook.point} what means nothing`);
    }
    return run.said;
  } catch (error) {
    log.warning(`${nameOf(hook)} failed on ${hook.point}: ${errorMessage(error)}`);
    return undefined;
  }
}

function nameOf({ command }: ShellHook): string {
  return (scriptOf(command) ?? command).split('/').at(-1) ?? command;
}
