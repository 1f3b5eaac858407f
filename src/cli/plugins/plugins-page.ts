/** `hermes plugins` alone: the plug-ins as a list in which they are switched on and off. */
import type { FoundPlugin } from '../../plugins/packages/discover.ts';
import type { CliContext } from '../command.ts';
import { type Choice, Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';
import { withFreshSettings } from '../setup/fresh-settings.ts';
import { terminalText } from '../render/terminal-text.ts';
import { findPlugins } from './find-plugins.ts';
import { listPlugins, notesOf } from './list-plugins.ts';
import { switchPlugins } from './switch-plugin.ts';

/** Without a terminal, and where there is nothing to choose from, it is `hermes plugins list`. */
export async function pluginsPage(context: CliContext): Promise<void> {
  const { io } = context;
  const all = await findPlugins(context);
  if (!io.stdin.isTTY || !io.stdout.isTTY || !all.some(canBeOn)) return await listPlugins(context, {});
  const prompts = await openPrompts(io);
  prompts.intro('hermes plugins');
  for (const [key, notes] of await notesOf(context, all)) {
    for (const note of notes) prompts.say(terminalText(`⚠ ${key}: ${note}`));
  }
  try {
    prompts.outro(await askForPlugins(context, prompts, all));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
  }
}

/** Stores the choice when it is another one, and says in one line what has changed. Throws `Cancelled`, with nothing stored. */
export async function askForPlugins(
  context: CliContext,
  prompts: Prompts,
  all: readonly FoundPlugin[],
): Promise<string> {
  const others = all.filter((plugin) => !canBeOn(plugin));
  if (others.length > 0) {
    prompts.say(`Written for the original, in Python, and not loaded here: ${others.map(({ key }) => key).join(', ')}`);
  }
  const choosable = all.filter(canBeOn);
  const before = choosable.filter(({ state }) => state === 'enabled').map(({ key }) => key);
  const question = 'Plug-ins that are loaded, with all your rights (Tab marks one)';
  const wanted = await prompts.choose(question, choosable.map(choiceOf), before);
  const on = choosable.filter(({ key, state }) => wanted.includes(key) && state !== 'enabled');
  const off = choosable.filter(({ key, state }) => !wanted.includes(key) && state === 'enabled');
  if (on.length === 0 && off.length === 0) return 'Nothing was changed.';
  const { entries } = (await context.config()).config.plugins;
  const grants = new Map<string, boolean>();
  for (const { key } of on) {
    const mayOverride = entries[key]?.allow_tool_override ?? false;
    grants.set(key, await prompts.confirm(`May ${key} replace tools that are there without it?`, mayOverride));
  }
  // Somebody else may have written them while the questions stood there.
  await switchPlugins(withFreshSettings(context), { on, off, grants });
  const said = [
    ...(on.length > 0 ? [`Enabled: ${on.map(({ key }) => key).join(', ')}.`] : []),
    ...(off.length > 0 ? [`Disabled: ${off.map(({ key }) => key).join(', ')}.`] : []),
  ];
  return `${said.join(' ')} It counts from the next start.`;
}

function canBeOn({ state }: FoundPlugin): boolean {
  return state !== 'unsupported (python)';
}

function choiceOf({ key, state, source, manifest, problem }: FoundPlugin): Choice {
  const { version = '', description = '' } = manifest ?? {};
  // What stands in the way is worth more than what it is for.
  const hint = [state, source, problem ?? description].filter((part) => part !== '').join(' · ');
  return { value: key, label: `${key} ${version}`.trimEnd(), hint };
}
