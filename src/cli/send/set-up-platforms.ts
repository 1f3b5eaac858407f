/** The platform that a target names, ready to be written to. */
import type { ConfiguredPlatform } from '../../gateway/platform/configured-platform.ts';
import { allPlatforms, readPlatform } from '../../gateway/process/configured-platforms.ts';
import { UserError } from '../../lib/errors.ts';
import type { PlatformEntry } from '../../gateway/platform/platform.ts';
import type { CliContext } from '../command.ts';
import { pluggedPlatforms } from '../gateway/plugged-platforms.ts';

/** `plugged`: those of plug-ins, where they are known already. Throws `UserError` for one that is not in this build or not set up. */
export async function setUpPlatform(
  context: CliContext,
  name: string,
  plugged?: readonly PlatformEntry[],
): Promise<ConfiguredPlatform> {
  const all = allPlatforms(plugged ?? (await pluggedPlatforms(context)));
  const entry = all.find((each) => each.name === name);
  if (entry === undefined) {
    throw new UserError(`This build has no chat platform '${name.slice(0, 60)}'.`, {
      hint: `It has: ${all.map((each) => each.name).join(', ')}`,
    });
  }
  const { platform } = await entry.load();
  const { raw } = await context.config();
  const { config, configured, problems } = readPlatform(platform, { raw, variables: context.env });
  if (!configured) {
    throw new UserError(problems[0] ?? `${platform.label} is not set up.`, { hint: 'Set it up: hermes gateway setup' });
  }
  if (!config.enabled) {
    throw new UserError(`${platform.label} is switched off.`, {
      hint: `Switch it on: hermes config set platforms.${name}.enabled true`,
    });
  }
  return { platform, config };
}
