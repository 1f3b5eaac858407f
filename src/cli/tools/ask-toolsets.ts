/** Asks which toolsets a surface has. */
import type { CliContext } from '../command.ts';
import type { Prompts } from '../model/prompts.ts';
import { builtToolsets, enabledToolsets, storeToolsets } from './toolset-choice.ts';

/** Stores the choice when it is another one, and says in one line what is on. Throws `Cancelled`, with nothing stored. */
export async function askForToolsets(context: CliContext, prompts: Prompts): Promise<string> {
  const { config } = await context.config();
  const others = Object.keys(config.platform_toolsets).filter((name) => name !== 'cli');
  const surfaces = ['cli', ...others].map((value) => ({ value, label: value }));
  const platform = surfaces.length === 1 ? 'cli' : await prompts.select('For which surface?', surfaces, 'cli');
  const enabled = await enabledToolsets(context, platform);
  const built = builtToolsets();
  const choices = [...built].map(([value, tools]) => ({ value, label: value, hint: tools.join(', ') }));
  const { disabled_toolsets: barred } = config.agent;
  const before = [...built.keys()].filter((name) => enabled.has(name) && !barred.includes(name));
  const wanted = await prompts.choose('Toolsets that are on', choices, before);
  if (before.length !== wanted.length || !before.every((name) => wanted.includes(name))) {
    const kept = [...enabled].filter((name) => !built.has(name));
    await storeToolsets(context, platform, new Set([...kept, ...wanted]), wanted);
  }
  return `On (${platform}): ${wanted.length === 0 ? 'none' : wanted.join(', ')}`;
}
