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
  const { key, folder, source, packageName } = await findPlugin(context, name);
  if (source === 'project') {
    throw new UserError(`${key} is not in the home's folder of plug-ins.`, { hint: `It lies in ${folder}.` });
  }
  const root = realpathSync(join(context.home.path, 'plugins'));
  if (!isInside(root, join(realpathSync(dirname(folder)), folder.slice(dirname(folder).length + 1)))) {
    throw new UserError(`${folder} does not lie in ${root}.`);
  }
  if (lstatSync(folder).isSymbolicLink()) unlinkSync(folder);
  else rmSync(folder, { recursive: true, force: true });
  if (packageName !== undefined) {
    (await import('../../plugins/install/npm-package.ts')).forgetPackage(
      join(context.home.path, 'plugins'),
      packageName,
    );
  }
  await forgetPlugin(context, key);
  context.io.stdout.write(`Removed ${key}. What runs now keeps it until its next start.\n`);
}
