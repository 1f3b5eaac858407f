/** Installs language servers into the home, never anywhere else, and only what the catalogue names. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnProcesses } from '../../environments/local/own-processes.ts';
import { startTalking } from '../../environments/local/talking-program.ts';
import { UserError } from '../../lib/errors.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import type { Log } from '../../lib/log.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { InstallRecipe, LanguageServer } from './language-server.ts';
import { findOnPath, type LocatedServer, locateServer, type ServerSources } from './locate-server.ts';

const installMs = 10 * 60_000;
const maxReasonChars = 600;

export interface InstallOptions extends ServerSources {
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Returns where it is then. One that is there already is left alone.
 * @throws UserError when it cannot be installed here, with what to do instead
 */
export async function installServer(server: LanguageServer, options: InstallOptions): Promise<LocatedServer> {
  const { folder, signal } = options;
  const step = stepOf(server, options);
  makeDirectories(join(folder, 'bin'));
  return await withFileLock(
    join(folder, 'install.lock'),
    async () => {
      const there = locateServer(server, options);
      if (there !== undefined) return there;
      // Without it npm looks for a project further up.
      const manifest = join(folder, 'package.json');
      if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
      await run(step, options);
      const located = locateServer(server, options);
      if (located !== undefined) return located;
      throw new UserError(`${step.command.join(' ')} succeeded, but brought no ${server.programs.join(' or ')}.`, {
        hint: `Install it yourself, or set lsp.servers.${server.id}.command.`,
      });
    },
    { timeoutMs: installMs, signal },
  );
}

/** Whether it may come unasked: without a compiler, without running anything of its own on the way, and of use at once. */
export function comesUnasked({ install, needsMore }: LanguageServer): boolean {
  return install.by === 'npm' && needsMore !== true;
}

interface Step {
  readonly command: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
}

function stepOf({ id, install }: LanguageServer, { folder, env }: InstallOptions): Step {
  if (install.by === 'hand') {
    throw new UserError(`${id} is not installed by Hermes.`, { hint: `To install it: ${install.how}` });
  }
  const program = findOnPath(install.by, env);
  if (program === undefined) {
    const missing = install.by === 'npm' ? 'Node.js with npm' : 'Go';
    throw new UserError(`${id} is installed with ${install.by}, which was not found.`, {
      hint: `Install ${missing}, or install ${id} yourself and set lsp.servers.${id}.command.`,
    });
  }
  return { command: [program, ...argumentsOf(install, folder)], variables: { GOBIN: join(folder, 'bin') } };
}

function argumentsOf(install: Exclude<InstallRecipe, { by: 'hand' }>, folder: string): string[] {
  if (install.by === 'go') return ['install', install.module];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return ['install', '--prefix', folder, ...quiet, ...install.packages];
}

async function run({ command, variables }: Step, { folder, env, signal, log }: InstallOptions): Promise<void> {
  const processes = new OwnProcesses(log);
  const stopped = Promise.withResolvers<string>();
  const onAbort = (): void => stopped.resolve('it was stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stopped.resolve(`it took more than ${installMs / 60_000} minutes`), installMs);
  try {
    const program = await startTalking(command, { cwd: folder, env: { ...env, ...variables }, processes });
    program.input.end();
    program.output.resume();
    if (signal.aborted) onAbort();
    const ended = await Promise.race([program.exited, stopped.promise]);
    if (ended === 0) return;
    const why =
      typeof ended === 'string' ? ended : program.complaints().slice(0, maxReasonChars) || `it ended with ${ended}`;
    throw new UserError(`${command.join(' ')} failed: ${why}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    await processes.endAll();
    processes.release();
  }
}
