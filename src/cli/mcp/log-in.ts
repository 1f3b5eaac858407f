/** `hermes mcp login` and `reauth`. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { ProbedServer } from '../../mcp/probe.ts';
import { terminalPrompt } from '../auth/login.ts';
import type { CliContext } from '../command.ts';
import { Cancelled } from '../model/prompts.ts';
import { oneLine } from '../render/terminal-text.ts';
import { configuredServers, isGuarded, probeOptions, type ServerEntry, serverNamed } from './configured.ts';
import { showProbe } from './test-server.ts';

/** Throws `UserError`; what was stored before stays then. */
export async function logInServer(context: CliContext, name: string): Promise<void> {
  await logInAndShow(context, name, await serverNamed(context, name));
}

/** One after another: a person can finish one login at a time. Sets the exit code when one of them fails. */
export async function logInAgain(
  context: CliContext,
  name: string | undefined,
  { all = false }: { readonly all?: boolean },
): Promise<void> {
  if (all === (name !== undefined)) {
    throw new UserError('Name one server, or say --all.', { exitCode: 2, hint: 'hermes mcp reauth NAME | --all' });
  }
  if (name !== undefined) return await logInServer(context, name);
  const { stdout, stderr } = context.io;
  const guarded = (await configuredServers(context)).filter(([, entry]) => isGuarded(entry));
  if (guarded.length === 0) return void stdout.write('No MCP server has auth: oauth.\n');
  let done = 0;
  for (const [each, entry] of guarded) {
    stdout.write(`\n${oneLine(each, 80)}:\n`);
    try {
      await logInAndShow(context, each, entry);
      done += 1;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      stderr.write(`${error.message}\n${error.hint ?? ''}\n`);
    }
  }
  stdout.write(`\nLogged in to ${done} of ${guarded.length}.\n`);
  if (done < guarded.length) context.exitCode = 1;
}

/** Leads the person through the login of an entry, written down or not. Throws `UserError`. */
export async function logInTo(context: CliContext, name: string, entry: ServerEntry): Promise<ProbedServer> {
  const { io, settings } = context;
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new Cancelled());
  process.once('SIGINT', stop);
  try {
    const { logIn } = await import('../../mcp/login.ts');
    return await logIn(name, entry, await probeOptions(context), {
      prompt: terminalPrompt(context, stop),
      signal: stopped.signal,
      // On the other side of an SSH connection a browser would open where nobody sits.
      browser: !settings.terminal.remote,
    });
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (!stopped.signal.aborted) {
      throw new UserError(`The MCP server '${name}' does not answer: ${oneLine(errorMessage(error), 300)}`, {
        hint: 'Look at its url, and at the network.',
      });
    }
    const hint = io.stdin.isTTY ? '' : ' Run it in a terminal, or pipe in the address on which the browser ends.';
    throw new UserError(`The login to ${name} was not finished; nothing was changed.`, { hint: hint.trim() });
  } finally {
    process.off('SIGINT', stop);
  }
}

async function logInAndShow(context: CliContext, name: string, entry: ServerEntry): Promise<void> {
  const probed = await logInTo(context, name, entry);
  context.io.stdout.write(`Logged in to ${oneLine(name, 80)}.\n`);
  showProbe(context, name, probed);
}
