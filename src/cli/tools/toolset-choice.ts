/** Which toolsets a surface has by its configuration, and how that is changed. */
import { unsetConfigValue, updateConfig } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { toolCatalogue } from '../../tools/catalogue.ts';
import { composites, legacyNames } from '../../tools/toolset-names.ts';
import { nearestToolset } from '../../tools/toolsets.ts';
import type { CliContext } from '../command.ts';
import { isPinned } from '../model/pins.ts';
import { backUpConfig } from '../model/reset.ts';

/** Toolsets of this build, each once, with its tools. */
export function builtToolsets(): ReadonlyMap<string, readonly string[]> {
  const sets = Map.groupBy(toolCatalogue, ({ toolset }) => toolset);
  return new Map([...sets].map(([name, tools]) => [name, tools.map((tool) => tool.name)]));
}

/** The sets that are on, single ones instead of sets of sets; those of parts that are not built are kept. */
export async function enabledToolsets(context: CliContext, platform: string): Promise<Set<string>> {
  const { config } = await context.config();
  const enabled = new Set<string>();
  const add = (written: string): void => {
    const name = Object.hasOwn(legacyNames, written) ? (legacyNames[written] ?? written) : written;
    const members = Object.hasOwn(composites, name) ? composites[name] : undefined;
    if (members !== undefined) for (const member of members) add(member);
    else if (name === 'all' || name === '*') for (const set of builtToolsets().keys()) enabled.add(set);
    else enabled.add(name);
  };
  for (const name of config.platform_toolsets[platform] ?? config.toolsets) add(name);
  return enabled;
}

/**
 * Writes the list of a surface as the original does: single sets, sorted. Those that were `wanted` just now are no longer
 * switched off everywhere, unless an administrator decided that.
 */
export async function storeToolsets(
  context: CliContext,
  platform: string,
  enabled: ReadonlySet<string>,
  wanted: readonly string[],
): Promise<void> {
  const { config, managed } = await context.config();
  const { disabled_toolsets: barred } = config.agent;
  const left = barred.filter((name) => !wanted.includes(name));
  const frees = left.length < barred.length && !isPinned(managed, 'agent.disabled_toolsets');
  await updateConfig(context, [
    { path: ['platform_toolsets', platform], value: [...enabled].sort() },
    ...(frees ? [{ path: ['agent', 'disabled_toolsets'], value: left }] : []),
  ]);
}

/** Puts the lists of all surfaces back to what comes with the program. Throws `UserError`. */
export async function resetToolsets(context: CliContext): Promise<void> {
  const backup = backUpConfig(await context.config(), new Date());
  await unsetConfigValue({ ...context, key: 'platform_toolsets' });
  if (backup !== undefined) context.io.stdout.write(`The old settings are in ${backup}\n`);
}

/** Throws `UserError` with exit code 2 for the first name that is no toolset of this build, naming the nearest. */
export async function refuseUnknown(context: CliContext, names: readonly string[]): Promise<void> {
  const { custom_toolsets: custom } = (await context.config()).config;
  const own = Object.fromEntries(Object.entries(custom).map(([name, set]) => [name, set.tools]));
  for (const name of names) {
    if (builtToolsets().has(name) || Object.hasOwn(custom, name)) continue;
    const nearest = await nearestToolset(toolCatalogue, own, name);
    const meant = nearest === undefined || nearest === name ? '' : ` Did you mean '${nearest}'?`;
    throw new UserError(`'${name}' is no toolset of this build; nothing was changed.${meant}`, {
      exitCode: 2,
      hint: "'hermes tools list' shows them.",
    });
  }
}
