/** What is said and asked when a plug-in has come to its place. */
import { setConfigValues } from '../../config/edit.ts';
import { firstSet } from '../../config/env-values.ts';
import type { StagedPlugin } from '../../plugins/install/staged-plugin.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { confirm } from '../sessions/confirm.ts';
import { switchOn } from './switch-plugin.ts';

export interface InstallOptions {
  /** In the place of one of the same name, and whatever was found in it. */
  readonly force?: true;
  /** Absent: asked, where somebody can be. */
  readonly enable?: boolean;
}

export async function welcomePlugin(
  context: CliContext,
  staged: StagedPlugin,
  place: string,
  options: InstallOptions,
): Promise<void> {
  const { io } = context;
  const { name, manifest, notes } = staged;
  io.stdout.write(`${terminalText(`Installed ${name} ${manifest.version}`.trimEnd())} in ${place}.\n`);
  if (notes !== undefined) io.stdout.write(`\n${terminalText(notes.trim())}\n\n`);
  if (manifest.isPython) {
    io.stderr.write('⚠ It is written for the original, in Python: this program cannot load it.\n');
    return;
  }
  await askVariables(context, staged);
  await offerToEnable(context, name, options);
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
