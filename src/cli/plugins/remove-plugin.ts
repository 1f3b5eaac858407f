/** `hermes plugins remove`. */
import { lstatSync, realpathSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../plugins/packages/manifest.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { findPlugin } from './find-plugins.ts';
import { forgetPlugin } from './switch-plugin.ts';

/** Nothing outside of the home's folder of plug-ins is deleted; of a link only the link. */
export async function removePlugin(context: CliContext, name: string): Promise<void> {
  const { key, folder, source } = await findPlugin(context, name);
  if (source !== 'user') {
    const hint =
      source === 'package' ? `Remove it with npm, in ${join(context.home.path, 'plugins')}.` : `It lies in ${folder}.`;
    throw new UserError(`${key} is not in the home's folder of plug-ins.`, { hint });
  }
  const root = realpathSync(join(context.home.path, 'plugins'));
  if (!isInside(root, join(realpathSync(dirname(folder)), folder.slice(dirname(folder).length + 1)))) {
    throw new UserError(`${folder} does not lie in ${root}.`);
  }
  if (lstatSync(folder).isSymbolicLink()) unlinkSync(folder);
  else rmSync(folder, { recursive: true, force: true });
  await forgetPlugin(context, key);
  context.io.stdout.write(`Removed ${key}. What runs now keeps it until its next start.\n`);
}
