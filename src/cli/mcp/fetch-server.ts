/** Brings the code of a server to `mcp-installs/` of the home, at the state that its manifest names, and makes it ready. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInteractive } from '../../environments/run-interactive.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Manifest } from '../../mcp/manifest.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';
import { oneLine } from '../render/terminal-text.ts';

/** Where the code of a server lies. */
export function installFolder(homePath: string, name: string): string {
  return join(homePath, 'mcp-installs', name);
}

/**
 * Returns the folder. Throws `UserError` when something fails; what was there before is there again then. Its programs see
 * no key of this one.
 */
export async function fetchServer(
  { home, env, io }: CliContext,
  name: string,
  { url, ref, bootstrap }: NonNullable<Manifest['install']>,
): Promise<string> {
  const folder = installFolder(home.path, name);
  const before = `${folder}.before`;
  const bare = childEnvironment(env);
  const run = async (what: string, program: string, args: readonly string[]): Promise<void> => {
    const code = await runInteractive(program, args, bare, existsSync(folder) ? folder : home.path).catch(
      (error: unknown) => errorMessage(error),
    );
    if (code !== 0) throw new UserError(`${name} could not be installed: ${what} failed (${code}).`);
  };
  mkdirSync(join(home.path, 'mcp-installs'), { recursive: true });
  rmSync(before, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, before);
  try {
    io.stdout.write(`Fetching ${url} at ${ref}\n`);
    await run('git clone', 'git', ['clone', '--quiet', '--no-checkout', '--', url, folder]);
    await run('git checkout', 'git', ['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', ref, '--']);
    for (const command of bootstrap) {
      io.stdout.write(`$ ${oneLine(command, 200)}\n`);
      await run(`'${command}'`, '/bin/sh', ['-c', command]);
    }
    rmSync(before, { recursive: true, force: true });
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (existsSync(before)) renameSync(before, folder);
    throw error;
  }
}
