/** The plug-ins that there are, for `hermes plugins`. */
import { discoverPlugins, type FoundPlugin } from '../../plugins/packages/discover.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';

export async function findPlugins({ home, env, settings, config }: CliContext): Promise<readonly FoundPlugin[]> {
  const { enabled, disabled } = (await config()).config.plugins;
  const projectPath = settings.plugins.project ? process.cwd() : undefined;
  return await discoverPlugins({ homePath: home.path, projectPath, enabled, disabled, env });
}

/** As `pluginNamed`. Throws `UserError` when there is none. */
export async function findPlugin(context: CliContext, name: string): Promise<FoundPlugin> {
  const found = pluginNamed(await findPlugins(context), name);
  if (found !== undefined) return found;
  throw new UserError(`There is no plug-in '${name}'.`, { hint: "'hermes plugins list' shows what there is." });
}

/** By its key, or the name in its manifest, or that of its package. */
export function pluginNamed(all: readonly FoundPlugin[], name: string): FoundPlugin | undefined {
  return (
    all.find(({ key }) => key === name) ??
    all.find(({ manifest }) => manifest?.name === name) ??
    all.find(({ packageName }) => packageName === name)
  );
}
