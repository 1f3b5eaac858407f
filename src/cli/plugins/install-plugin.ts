/** `hermes plugins install`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { gitOrigin, nameOfOrigin } from '../../plugins/install/identifier.ts';
import { isNpmSpec } from '../../plugins/install/npm-spec.ts';
import { checkOut, checkTree, cloneUnseen } from '../../plugins/install/git-repository.ts';
import { copyExamples, lookAtStaged, type StagedPlugin } from '../../plugins/install/staged-plugin.ts';
import { putInPlace, withStage } from '../../plugins/install/stage.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';
import { acceptFindings } from './accept-findings.ts';
import { findPlugins } from './find-plugins.ts';
import { forgetPlugin } from './switch-plugin.ts';
import { untilInterrupt } from './until-interrupt.ts';
import { type InstallOptions, welcomePlugin } from './welcome-plugin.ts';

export async function installPlugin(context: CliContext, identifier: string, options: InstallOptions): Promise<void> {
  if (isNpmSpec(identifier)) {
    return await (await import('./install-package.ts')).installPackage(context, identifier, options);
  }
  const { io, home, env } = context;
  const origin = gitOrigin(identifier);
  if (origin.warning !== undefined) io.stderr.write(`⚠ ${origin.warning}\n`);
  const root = join(home.path, 'plugins');
  const staged = await withStage(root, async (stage) => {
    const place = { folder: join(stage, 'clone'), env: childEnvironment(env) };
    const { clone, hasSubmodules } = await untilInterrupt(async (signal) => {
      const cloned = { ...place, signal };
      await cloneUnseen(origin.url, cloned);
      const tree = await checkTree(cloned, 'HEAD', origin.folder);
      await checkOut(cloned, origin.folder);
      return { clone: cloned, ...tree };
    });
    const folder = origin.folder === undefined ? clone.folder : join(clone.folder, origin.folder);
    const found = await lookAtStaged(folder, nameOfOrigin(origin));
    await requireFree(context, found, options);
    await acceptFindings(context, found.findings, options);
    // Another one of that name may have been enabled before.
    if (!existsSync(join(root, found.name))) await forgetPlugin(context, found.name);
    if (hasSubmodules) io.stderr.write('⚠ Repositories inside of it (submodules) are left out.\n');
    for (const name of copyExamples(folder)) io.stdout.write(`Made ${name} from its example.\n`);
    putInPlace(root, found.name, folder);
    return found;
  });
  await welcomePlugin(context, staged, join(root, staged.name), options);
}

async function requireFree(context: CliContext, { name }: StagedPlugin, { force }: InstallOptions): Promise<void> {
  const ofNpm = (await findPlugins(context)).find(({ key, source }) => key === name && source === 'npm');
  if (ofNpm !== undefined) {
    throw new UserError(`There is a plug-in '${name}' from npm, which would be loaded instead.`, {
      hint: `Remove that one first: hermes plugins remove ${name}`,
    });
  }
  if (force === true || !existsSync(join(context.home.path, 'plugins', name))) return;
  throw new UserError(`There is a plug-in '${name}' already.`, {
    hint: `Bring what is new with: hermes plugins update ${name}\nOr put this one in its place with --force.`,
  });
}
