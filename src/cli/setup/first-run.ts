/** `hermes setup` in a home that says nothing yet: the ways to begin, and the steps of each. */
import { skillSourceSettings } from '../../config/skill-settings.ts';
import { type Change, updateConfig } from '../../config/edit.ts';
import { optIn, optOut } from '../../skill-hub/bundled/change.ts';
import { bundledSkillsFolder } from '../../skill-hub/bundled/paths.ts';
import { syncBundledSkills, type SyncOptions } from '../../skill-hub/bundled/sync.ts';
import { singleSets } from '../../tools/toolset-names.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { modelThatIsSet } from '../model/model-that-is-set.ts';
import { isPinned } from '../model/pins.ts';
import type { Prompts } from '../model/prompts.ts';
import { askForMainModel } from '../model/wizard.ts';
import { builtToolsets } from '../tools/toolset-choice.ts';
import { setupSections } from './catalogue.ts';
import { type Step, stepOf } from './step.ts';

/** Undefined where the home says something already: nobody's settings are asked for as if there were none. */
export async function stepsOfFirstRun(context: CliContext, prompts: Prompts): Promise<readonly Step[] | undefined> {
  const { user, managed } = await context.config();
  const isSaid = Object.keys(user.data).some((name) => name !== '_config_version');
  if (isSaid || managed.keys.length > 0 || (await modelThatIsSet(context)) !== undefined) return undefined;
  const way = await prompts.select(
    'How would you like to begin?',
    [
      { value: 'quick', label: 'Quickly: sign in to the Nous Portal', hint: 'no key needed; all else as it comes' },
      { value: 'full', label: 'In full: every part in turn', hint: 'any provider, your own keys, a server of yours' },
      { value: 'blank', label: 'With next to nothing', hint: 'files and the terminal; all else only if you want it' },
    ],
    'full',
  );
  if (way === 'quick') return [modelOf('nous'), ...sections('terminal', 'gateway')];
  if (way === 'blank') return [modelOf(undefined), ...sections('terminal'), nextToNothing, theRest];
  return undefined;
}

function sections(...names: readonly string[]): readonly Step[] {
  return setupSections.filter(({ name }) => names.includes(name)).map(stepOf);
}

function modelOf(provider: string | undefined): Step {
  return {
    name: 'model',
    ask: async (context, prompts) => ({
      said: await askForMainModel(context, prompts, provider === undefined ? {} : { provider }),
    }),
  };
}

const nextToNothing: Step = {
  name: 'next to nothing',
  async ask(context) {
    const { managed } = await context.config();
    await updateConfig(
      context,
      blankSettings().filter(({ path }) => !isPinned(managed, path.join('.'))),
    );
    await optOut(bundledSkills(context), true);
    return { said: 'Off: skills, memory, summaries, checkpoints and every tool but those for files and the terminal' };
  },
};

const theRest: Step = {
  name: 'the rest',
  async ask(_context, prompts) {
    const chosen = await prompts.select('And now?', [
      { value: 'leave', label: 'Leave it at that' },
      { value: 'more', label: 'Go through what can be switched on' },
    ]);
    return { next: chosen === 'more' ? [skillsThatComeAlong, ...sections('agent', 'gateway', 'tools')] : [] };
  },
};

const skillsThatComeAlong: Step = {
  name: 'skills',
  async ask(context, prompts) {
    if (!(await prompts.confirm('Bring the skills that come along?', false))) return {};
    optIn(context.home.path);
    const { added } = await syncBundledSkills(bundledSkills(context));
    return { said: `Skills: ${added.length}` };
  },
};

/** Written out as the original does, so that it holds for every surface of either program. */
function blankSettings(): readonly Change[] {
  const kept = ['file', 'terminal'];
  const others = new Set([...singleSets, ...builtToolsets().keys()]);
  return [
    { path: ['platform_toolsets', 'cli'], value: kept },
    { path: ['agent', 'disabled_toolsets'], value: [...others].filter((name) => !kept.includes(name)).sort() },
    { path: ['compression', 'enabled'], value: false },
    { path: ['memory', 'memory_enabled'], value: false },
    { path: ['memory', 'user_profile_enabled'], value: false },
    { path: ['checkpoints', 'enabled'], value: false },
    { path: ['session_reset', 'mode'], value: 'none' },
  ];
}

function bundledSkills({ home, env }: CliContext): SyncOptions {
  const { version } = readPackage();
  return { homePath: home.path, folder: bundledSkillsFolder(skillSourceSettings(env)), version };
}
