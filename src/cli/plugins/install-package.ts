/** `hermes plugins install npm:…`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import {
  bringPackage,
  lookAtPackage,
  putPackageInPlace,
  type StagedPackage,
} from '../../plugins/install/npm-package.ts';
import { recordedWish } from '../../plugins/install/npm-record.ts';
import { npmSpec } from '../../plugins/install/npm-spec.ts';
import { withStage } from '../../plugins/install/stage.ts';
import { copyExamples } from '../../plugins/install/staged-plugin.ts';
import { packagesFolder } from '../../plugins/packages/discover.ts';
import type { CliContext } from '../command.ts';
import { oneLine } from '../render/terminal-text.ts';
import { acceptFindings } from './accept-findings.ts';
import { findPlugins, pluginNamed } from './find-plugins.ts';
import { forgetPlugin } from './switch-plugin.ts';
import { untilInterrupt } from './until-interrupt.ts';
import { type InstallOptions, welcomePlugin } from './welcome-plugin.ts';

export async function installPackage(context: CliContext, identifier: string, options: InstallOptions): Promise<void> {
  const { io, home, env } = context;
  const spec = npmSpec(identifier);
  const root = join(home.path, 'plugins');
  const target = join(packagesFolder(root), spec.name);
  const staged = await withStage(root, async (stage) => {
    // What needs no look at the package is told before anything is fetched.
    recordedWish(root, spec.name);
    const before = await requireNone(context, target, options);
    io.stderr.write(`Bringing ${spec.name} with npm …\n`);
    const folder = await untilInterrupt((signal) => bringPackage(spec, { folder: stage, env, signal }));
    const found = await lookAtPackage(folder, spec.name);
    await requireFree(context, found, target);
    tellOthers(context, found);
    await acceptFindings(context, found.findings, options);
    // Another one of that name may have been enabled before.
    if (before !== found.name) await forgetPlugin(context, found.name);
    for (const name of copyExamples(folder)) io.stdout.write(`Made ${name} from its example.\n`);
    putPackageInPlace(root, spec, folder);
    return found;
  });
  await welcomePlugin(context, staged, target, options);
}

/** Its code stands in no list of findings, so a person should at least know that it comes. */
export function tellOthers({ io }: CliContext, { others }: Pick<StagedPackage, 'others'>): void {
  if (others.length === 0) return;
  const names = oneLine(others.join(', '), 300);
  io.stderr.write(`It brings ${counted(others.length, 'other package')}, whose code is not looked at: ${names}\n`);
}

/** Returns what the package is called that the new one takes the place of. */
async function requireNone(
  context: CliContext,
  target: string,
  { force }: InstallOptions,
): Promise<string | undefined> {
  const there = (await findPlugins(context)).find(({ folder }) => folder === target)?.key;
  if (force === true || !existsSync(target)) return there;
  throw new UserError(`There is ${there === undefined ? target : `a plug-in '${there}'`} already.`, {
    hint: `${there === undefined ? '' : `Bring what is new with: hermes plugins update ${there}\n`}Or put this one in its place with --force.`,
  });
}

/** Of two with one name, the wrong one could be loaded. */
async function requireFree(context: CliContext, { name }: StagedPackage, target: string): Promise<void> {
  const others = (await findPlugins(context)).filter(({ folder }) => folder !== target);
  const rival = pluginNamed(others, name);
  if (rival === undefined) return;
  throw new UserError(`There is a plug-in '${name}' already, in ${rival.folder}.`, {
    hint: `Remove that one first: hermes plugins remove ${rival.key}`,
  });
}
