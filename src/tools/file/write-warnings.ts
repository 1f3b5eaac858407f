/** What the model should know of a write that was made all the same. */
import { posix } from 'node:path';
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';

/** To be asked before the write; empty when there is nothing to say. */
export async function writeWarnings(
  targets: readonly FilePath[],
  context: ToolContext<ToolServices>,
): Promise<{ readonly _warning?: string }> {
  const found = await Promise.all(
    targets.map(async (target) => [
      await outsideCheckout(target, context.services),
      await writtenUnseen(target, context),
    ]),
  );
  const said = found.flat().filter((warning) => warning !== undefined);
  return said.length === 0 ? {} : { _warning: said.join('\n') };
}

/** A relative path that leads out of the checkout in which the terminal is: mostly it was meant for another place. */
async function outsideCheckout(
  { path, resolved }: FilePath,
  { environment, files }: ToolServices,
): Promise<string | undefined> {
  if (/^(?:~|[\\/]|[a-z]:)/i.test(path)) return undefined;
  const checkout = await checkoutOf(await files.realPath(environment.cwd), files);
  const real = await files.realPath(resolved);
  if (checkout === undefined || real.startsWith(`${checkout}/`)) return undefined;
  return `${path} lies outside of ${checkout}, the checkout that the terminal is in: it is ${real}. Use absolute paths for files elsewhere.`;
}

async function checkoutOf(folder: string, files: ToolServices['files']): Promise<string | undefined> {
  for (let at = folder; ; at = posix.dirname(at)) {
    if ((await files.stat(posix.join(at, '.git'))) !== undefined) return at;
    if (posix.dirname(at) === at) return undefined;
  }
}

/** Another session of this process wrote the file, and this one has not looked at it. */
async function writtenUnseen(
  { path, resolved }: FilePath,
  { services, sessionId }: ToolContext<ToolServices>,
): Promise<string | undefined> {
  const { files, processSettings, state } = services;
  if (!processSettings.files.stateGuard || state.readLedger.lastKnown(resolved) !== undefined) return undefined;
  const writer = state.fileWrites.otherWriter(await files.realPath(resolved), sessionId);
  if (writer === undefined) return undefined;
  return `${path} was last written by another agent (session ${writer}), and you had not read it since. Read it to see what it holds now.`;
}
