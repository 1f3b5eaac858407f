/** The files that a command would run, as they are now, and the last look at them before it runs. */
import { createHash } from 'node:crypto';
import type { ToolContext } from '../../agent/tool.ts';
import { UserError } from '../../lib/errors.ts';
import { changedFiles, type RunFile } from '../../safety/run-file.ts';
import type { ToolServices } from '../services.ts';
import { commandPaths } from './command-paths.ts';

/** Of larger ones size and time stand for what they hold. */
const maxReadBytes = 16 * 1024 * 1024;

type Place = Pick<ToolServices, 'paths' | 'environment'>;

export async function runFiles(command: string, cwd: string, services: Place): Promise<readonly RunFile[]> {
  const { filesRun } = await import('../../safety/commands/run-files.ts');
  const paths = filesRun(command, commandPaths(cwd, services));
  return await Promise.all(paths.map(async (path) => ({ path, state: await stateOf(path, services) })));
}

/** Throws `UserError` when one of the files that were there when the call was allowed is another one now. */
export async function requireUnchanged(
  command: string,
  cwd: string,
  { runs, services }: Pick<ToolContext<ToolServices>, 'runs' | 'services'>,
): Promise<void> {
  if (runs === undefined) return;
  const [changed] = changedFiles(runs, await runFiles(command, cwd, services));
  if (changed === undefined) return;
  throw new UserError(`Not run: ${changed} has changed since this command was approved. Run it again to ask anew.`);
}

async function stateOf(path: string, { environment: { files } }: Place): Promise<string> {
  try {
    const found = await files.stat(path);
    if (found?.kind !== 'file') return found?.kind ?? 'none';
    if (found.size > maxReadBytes) return `${found.size} bytes of ${found.changedMs}`;
    return createHash('sha256')
      .update(await files.read(path))
      .digest('hex');
  } catch {
    // What cannot be read cannot be compared; that it came to be readable is a change.
    return 'unreadable';
  }
}
