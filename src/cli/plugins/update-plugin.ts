/** `hermes plugins update`. */
import { cpSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { checkTree, fetchNewer, forward } from '../../plugins/install/git-repository.ts';
import { copyExamples, guardFindings, lookAtStaged } from '../../plugins/install/staged-plugin.ts';
import { putInPlace, withStage } from '../../plugins/install/stage.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { acceptFindings, notThereBefore } from './accept-findings.ts';
import { findPlugin } from './find-plugins.ts';
import type { UpdateOptions } from './update-package.ts';

/** What is new is put together beside what is there, looked at, and takes its place in one step. */
export async function updatePlugin(context: CliContext, name: string, options: UpdateOptions): Promise<void> {
  const { io, home, env } = context;
  const plugin = await findPlugin(context, name);
  const { key, folder, source } = plugin;
  if (source === 'npm') return await (await import('./update-package.ts')).updatePackage(context, plugin, options);
  if (source !== 'user' || lstatSync(folder).isSymbolicLink()) {
    throw new UserError(`${key} is not in the home's folder of plug-ins.`, { hint: `It lies in ${folder}.` });
  }
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError(`${key} is no clone of a repository, so there is nothing to bring.`, {
      hint: 'Install it again with: hermes plugins install … --force',
    });
  }
  await withStage(join(home.path, 'plugins'), async (stage) => {
    const copy = { folder: join(stage, 'copy'), env: childEnvironment(env), signal: new AbortController().signal };
    cpSync(folder, copy.folder, { recursive: true, verbatimSymlinks: true });
    if (!(await fetchNewer(copy))) {
      io.stdout.write(`${terminalText(key)} is up to date.\n`);
      return;
    }
    await checkTree(copy, '@{upstream}', undefined);
    const before = guardFindings(copy.folder);
    await forward(copy);
    const { manifest, findings } = await lookAtStaged(copy.folder, basename(folder));
    await acceptFindings(context, notThereBefore(findings, before), options);
    for (const made of copyExamples(copy.folder)) io.stdout.write(`Made ${made} from its example.\n`);
    putInPlace(dirname(folder), basename(folder), copy.folder);
    io.stdout.write(
      `${terminalText(`Updated ${key} ${manifest.version}`.trimEnd())}. It counts from the next start.\n`,
    );
  });
}
