/** `hermes plugins update` of one from npm. */
import { copyFileSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { bringPackage, lookAtPackage, putPackageInPlace } from '../../plugins/install/npm-package.ts';
import { recordedWish } from '../../plugins/install/npm-record.ts';
import { npmSpec } from '../../plugins/install/npm-spec.ts';
import { withStage } from '../../plugins/install/stage.ts';
import { copyExamples, guardFindings } from '../../plugins/install/staged-plugin.ts';
import type { FoundPlugin } from '../../plugins/packages/discover.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { acceptFindings, notThereBefore } from './accept-findings.ts';
import { tellOthers } from './install-package.ts';
import { untilInterrupt } from './until-interrupt.ts';

export interface UpdateOptions {
  /** Whatever was found in what is new. */
  readonly force?: true;
}

/** To the newest of what was asked for when it was installed. */
export async function updatePackage(context: CliContext, plugin: FoundPlugin, options: UpdateOptions): Promise<void> {
  const { io, home, env } = context;
  const { key, folder, packageName = key, manifest } = plugin;
  const root = join(home.path, 'plugins');
  if (lstatSync(folder).isSymbolicLink()) {
    throw new UserError(`${key} is a link to a folder of yours.`, { hint: `Bring what is new there: ${folder}` });
  }
  const spec = npmSpec(`npm:${packageName}@${recordedWish(root, packageName) ?? 'latest'}`);
  if (spec.wanted === manifest?.version) {
    io.stdout.write(`${terminalText(`${key} stays: you asked for ${spec.wanted} alone`)}.\n`);
    return;
  }
  const said = await withStage(root, async (stage) => {
    const fresh = await untilInterrupt((signal) => bringPackage(spec, { folder: stage, env, signal }));
    const found = await lookAtPackage(fresh, packageName);
    const { version } = found.manifest;
    if (found.name !== key) {
      throw new UserError(`${key} calls itself '${found.name}' now, so it was not taken.`, {
        hint: `Remove it, and install it again: hermes plugins install npm:${packageName}`,
      });
    }
    if (version === manifest?.version) return `${key} is up to date.`;
    tellOthers(context, found);
    const before = guardFindings(folder, (name) => name === 'node_modules');
    await acceptFindings(context, notThereBefore(found.findings, before), options);
    keepMade(folder, fresh);
    for (const made of copyExamples(fresh)) io.stdout.write(`Made ${made} from its example.\n`);
    putPackageInPlace(root, spec, fresh);
    return `Updated ${key} from ${manifest?.version ?? '?'} to ${version}. It counts from the next start.`;
  });
  io.stdout.write(`${terminalText(said)}\n`);
}

/** What was made from an example belongs to the person; all else is the package's. */
function keepMade(folder: string, fresh: string): void {
  const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.example')) continue;
    const own = name.slice(0, -'.example'.length);
    if (isFile(join(folder, own)) && !isFile(join(fresh, own))) copyFileSync(join(folder, own), join(fresh, own));
  }
}
