/** Hands `sudo` a password: from the settings, from earlier in the session, or from the person at the keyboard. */
import type { ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';

/** How a command with `sudo` in it is run. */
export interface SudoRun {
  readonly command: string;
  /** One line for each `sudo`, where it reads them from its input. */
  readonly stdin?: string;
  /** To be called when the command has ended. */
  end(): void;
}

/** How long a person is waited for, and how long `sudo -n` may take to say whether it asks for a password. */
export interface SudoLimits {
  readonly promptMs: number;
  readonly probeMs: number;
}

export const sudoLimits: SudoLimits = { promptMs: 45_000, probeMs: 3000 };
const refusals =
  /sudo: (?:authentication failed|incorrect password attempt|no password was provided|\d+ incorrect (?:password|authentication) attempts?|maximum \d+ incorrect authentication attempts)/;

/**
 * Every `sudo` reads its password from standard input, and asks for nothing. It takes its line even where it has been given
 * the password a moment ago (`-k`): what one leaves is read by whatever comes next.
 */
const fromInput = "sudo -k -S -p ''";

/** Undefined where there is no `sudo`, none that needs a password, or no password: the command runs as it is. */
export async function sudoRun(
  command: string,
  context: ToolContext<ToolServices>,
  { promptMs, probeMs }: SudoLimits = sudoLimits,
): Promise<SudoRun | undefined> {
  if (!command.includes('sudo')) return undefined;
  const { replaceSudo } = await import('../../safety/commands/sudo-words.ts');
  const { count } = replaceSudo(command, '');
  if (count === 0) return undefined;
  const { environment } = context.services;
  // A line that no sudo takes would be read by whatever comes next, such as a `tee` that writes it to a file.
  const sudo = await environment.findProgram('sudo');
  if (sudo === undefined || !(await needsPassword(sudo, probeMs, context))) return undefined;
  const password = await passwordFor(promptMs, context);
  if (password === undefined) return undefined;
  if (environment.kind === 'local') {
    const { createAskpass } = await import('./sudo-askpass.ts');
    const askpass = createAskpass(password, count);
    return { command: replaceSudo(command, askpass.sudo).command, end: () => askpass.remove() };
  }
  // Our files are not there.
  return {
    command: replaceSudo(command, fromInput).command,
    stdin: `${password}\n`.repeat(count),
    end: () => undefined,
  };
}

/** What the model is told when the password was wrong. One that a person typed is asked for again the next time. */
export function sudoFailure(run: SudoRun | undefined, output: string, { state }: ToolServices): object {
  if (run === undefined || !refusals.test(output)) return {};
  return { sudo_auth_failed: true, ...(state.sudo.forget() ? { sudo_cache_cleared: true } : {}) };
}

async function passwordFor(
  promptMs: number,
  { services, human, signal }: ToolContext<ToolServices>,
): Promise<string | undefined> {
  const known = services.config.terminal.sudo_password ?? services.state.sudo.given;
  if (known !== undefined) return known;
  if (!human.present) return undefined;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(promptMs)]);
  const typed = await human.secret('Password for sudo (empty: go on without)', limit);
  if (typed === undefined || typed === '') return undefined;
  services.maskValues([typed]);
  services.state.sudo.remember(typed);
  return typed;
}

async function needsPassword(
  sudo: string,
  probeMs: number,
  { services, signal }: ToolContext<ToolServices>,
): Promise<boolean> {
  const { environment } = services;
  const run = await environment.runProgram([sudo, '-k', '-n', 'true'], { timeoutMs: probeMs, signal, maxOutput: 1000 });
  return run.exitCode !== 0;
}
