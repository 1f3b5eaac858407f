/** What the plug-ins that are enabled come to, for `hermes plugins list`: their code is loaded for it. */
import { leftOut } from '../../commands/left-out.ts';
import { commandsWith } from '../../commands/plugin-commands.ts';
import { isJsonObject } from '../../lib/json.ts';
import { openEnabledPlugins } from '../../runtime/open-hooks.ts';
import { currentDirectory } from '../chat/current-directory.ts';
import type { CliContext } from '../command.ts';

/** By key: why it is not loaded although it is enabled, or what of it is left out, one line each. */
export async function pluginNotes(context: CliContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const { home, env, log, commands } = context;
  const config = await context.config();
  const quick = config.raw['quick_commands'];
  const own = isJsonObject(quick) ? Object.keys(quick).map((name) => name.toLowerCase().replaceAll('_', '-')) : [];
  // What is wrong stands beside each of them.
  const plugins = await openEnabledPlugins(
    { home, env, config, cwd: currentDirectory(), commandNames: commands.map(({ name }) => name) },
    log,
    () => undefined,
  );
  try {
    const offered = commandsWith({ plugins });
    return new Map(
      [...plugins.outcomes].map(([plugin, outcome]) => [
        plugin,
        'problem' in outcome ? [outcome.problem] : leftOut({ plugin, registered: outcome }, offered, own),
      ]),
    );
  } finally {
    await plugins.close();
  }
}
