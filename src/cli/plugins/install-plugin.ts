/** `hermes plugins install`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setConfigValues } from '../../config/edit.ts';
import { firstSet } from '../../config/env-values.ts';
import { UserError } from '../../lib/errors.ts';
import { gitOrigin, nameOfOrigin } from '../../plugins/install/identifier.ts';
import { checkOut, checkTree, cloneUnseen } from '../../plugins/install/git-repository.ts';
import { copyExamples, lookAtStaged, type StagedPlugin } from '../../plugins/install/staged-plugin.ts';
import { putInPlace, withStage } from '../../plugins/install/stage.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { confirm } from '../sessions/confirm.ts';
import { acceptFindings } from './accept-findings.ts';
import { forgetPlugin, switchOn } from './switch-plugin.ts';

export interface InstallOptions {
  /** In the place of one of the same name, and whatever was found in it. */
  readonly force?: true;
  /** Absent: asked, where somebody can be. */
  readonly enable?: boolean;
}

export async function installPlugin(context: CliContext, identifier: string, options: InstallOptions): Promise<void> {
  const { io, home, env } = context;
  const origin = gitOrigin(identifier);
  if (origin.warning !== undefined) io.stderr.write(`⚠ ${origin.warning}\n`);
  const root = join(home.path, 'plugins');
  const staged = await withStage(root, async (stage) => {
    const { signal } = new AbortController();
    const clone = { folder: join(stage, 'clone'), env: childEnvironment(env), signal };
    await cloneUnseen(origin.url, clone);
    const { hasSubmodules } = await checkTree(clone, 'HEAD', origin.folder);
    await checkOut(clone, origin.folder);
    const folder = origin.folder === undefined ? clone.folder : join(clone.folder, origin.folder);
    const found = await lookAtStaged(folder, nameOfOrigin(origin));
    requireFree(root, found, options);
    await acceptFindings(context, found.findings, options);
    // Another one of that name may have been enabled before.
    if (!existsSync(join(root, found.name))) await forgetPlugin(context, found.name);
    if (hasSubmodules) io.stderr.write('⚠ Repositories inside of it (submodules) are left out.\n');
    for (const name of copyExamples(folder)) io.stdout.write(`Made ${name} from its example.\n`);
    putInPlace(root, found.name, folder);
    return found;
  });
  const { name, manifest, notes } = staged;
  io.stdout.write(`${terminalText(`Installed ${name} ${manifest.version}`.trimEnd())} in ${join(root, name)}.\n`);
  if (notes !== undefined) io.stdout.write(`\n${terminalText(notes.trim())}\n\n`);
  if (manifest.isPython) {
    io.stderr.write('⚠ It is written for the original, in Python: this program cannot load it.\n');
    return;
  }
  await askVariables(context, staged);
  await offerToEnable(context, name, options);
}

function requireFree(root: string, { name }: StagedPlugin, { force }: InstallOptions): void {
  if (force === true || !existsSync(join(root, name))) return;
  throw new UserError(`There is a plug-in '${name}' already.`, {
    hint: `Bring what is new with: hermes plugins update ${name}\nOr put this one in its place with --force.`,
  });
}

/** Those that are set are not asked for. Nobody there: what is missing is named. */
async function askVariables({ io, home, env }: CliContext, { variables }: StagedPlugin): Promise<void> {
  const missing = variables.filter(({ name }) => firstSet(env, [name]) === undefined);
  if (missing.length === 0) return;
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    const required = missing.filter(({ isRequired }) => isRequired);
    for (const { name } of required) io.stdout.write(`It needs ${name}: hermes config set ${name} VALUE\n`);
    return;
  }
  const { Cancelled, openPrompts } = await import('../model/prompts.ts');
  const prompts = await openPrompts(io);
  const values = new Map<string, string>();
  try {
    for (const { name, description, url, isSecret, isRequired } of missing) {
      const about = [description, url, isRequired ? 'Enter leaves it for later' : 'Enter leaves it out'];
      const message = terminalText(`${name}: ${about.filter((part) => part !== '').join(', ')}`);
      const value = isSecret ? await prompts.secret({ message }) : await prompts.text({ message });
      if (value !== '') values.set(name, value);
    }
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
  }
  if (values.size > 0) await setConfigValues({ home, env }, values);
}

async function offerToEnable(context: CliContext, name: string, { enable }: InstallOptions): Promise<void> {
  const { io } = context;
  const asks = io.stdin.isTTY && io.stdout.isTTY;
  const wanted = enable ?? (asks ? await confirm(io, `Enable '${name}' now? It runs with all your rights.`) : false);
  if (wanted) await switchOn(context, name);
  else io.stdout.write(`It is off. Enable it with: hermes plugins enable ${name}\n`);
}
