/** Runs one shell hook: what it hears as JSON on its input, what it says as JSON on its output; without a shell. */
import type { HookPayload } from '../../agent/hooks.ts';
import { runHelper } from '../../environments/run-helper.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { ShellHook } from './read-hooks.ts';
import { commandWords } from './split-words.ts';

export interface HookPlace {
  /** All that the program sees: without the keys of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HookRun {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it came to, as a hook of a plug-in would return it; undefined when it said nothing that counts. */
  readonly said: HookSaid | undefined;
  readonly seconds: number;
}

export type HookSaid =
  | { readonly action: 'block' | 'continue'; readonly message: string }
  | { readonly context: string };

const maxBytes = 1_048_576;
const noReason = 'Blocked by shell hook.';

/** Rejects when it cannot be run, or takes longer than its timeout; the message says so. */
export async function runShellHook(
  hook: ShellHook,
  payload: HookPayload,
  { env, cwd }: HookPlace,
  signal: AbortSignal,
): Promise<HookRun> {
  const [program, ...args] = commandWords(hook.command) ?? [];
  if (program === undefined) throw new Error('its command has a quote that is not closed');
  const started = performance.now();
  const timeout = AbortSignal.timeout(hook.timeoutSeconds * 1000);
  try {
    const input = JSON.stringify(hookInput(hook, payload, cwd));
    const run = await runHelper(program, args, {
      env,
      cwd,
      input,
      maxBytes,
      signal: AbortSignal.any([signal, timeout]),
    });
    return { ...run, said: readOutput(hook, run.stdout), seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    if (timeout.aborted) throw new Error(`it did not end within ${hook.timeoutSeconds} s`, { cause: error });
    throw new Error(`it could not be run: ${errorMessage(error)}`, { cause: error });
  }
}

/** What the program reads. */
function hookInput({ point }: ShellHook, payload: HookPayload, cwd: string): object {
  const { tool_name, args, session_id, parent_session_id, ...extra } = payload;
  return {
    hook_event_name: point,
    tool_name: tool_name ?? null,
    tool_input: isJsonObject(args) ? args : null,
    session_id: textOr(session_id, textOr(parent_session_id, '')),
    cwd,
    extra,
  };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function readOutput({ point }: ShellHook, stdout: string): HookSaid | undefined {
  const data = parseJson(stdout.trim());
  if (!isJsonObject(data)) return undefined;
  const [action, message, reason] = [data['action'], filled(data['message']), filled(data['reason'])];
  if (point === 'pre_tool_call') {
    if (action === 'block') return { action: 'block', message: message ?? reason ?? noReason };
    return data['decision'] === 'block' ? { action: 'block', message: reason ?? message ?? noReason } : undefined;
  }
  if (point === 'pre_verify') {
    const word = textOr(action, textOr(data['decision'], '')).trim().toLowerCase();
    const text = message ?? reason;
    return ['continue', 'block'].includes(word) && text !== undefined
      ? { action: 'continue', message: text }
      : undefined;
  }
  const context = filled(data['context']);
  return context === undefined ? undefined : { context };
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
