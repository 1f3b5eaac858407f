/** Chat platforms of plug-ins, for commands that only list or write to them. */
import type { PlatformEntry } from '../../gateway/platform/platform.ts';
import { currentDirectory } from '../chat/current-directory.ts';
import type { CliContext } from '../command.ts';

/** Code is loaded only where a plug-in that brings one is enabled. Never rejects; what cannot be loaded is told. */
export async function pluggedPlatforms(context: CliContext): Promise<readonly PlatformEntry[]> {
  const { home, env, io, log } = context;
  const config = await context.config();
  if (config.process.safeMode || config.config.plugins.enabled.length === 0) return [];
  const { findPlugins } = await import('../plugins/find-plugins.ts');
  const all = await findPlugins(context);
  if (!all.some(({ state, manifest }) => state === 'enabled' && manifest?.kind === 'platform')) return [];
  const { openEnabledPlugins } = await import('../../runtime/open-hooks.ts');
  const { pluggedOf } = await import('../../gateway/plugged/plugged-of.ts');
  const place = { home, env, config, cwd: currentDirectory(), commandNames: context.commands.map(({ name }) => name) };
  // They stay as long as the command: their adapters may be written to, and then they tidy up.
  const plugins = await openEnabledPlugins(place, log, (line) => void io.stderr.write(`${line}\n`));
  context.atEnd?.(() => plugins.close());
  return await pluggedOf({ plugins });
}
