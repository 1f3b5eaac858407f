/** `hermes setup` without a section: all of them in turn, each stored when its last question is answered. */
import type { CliContext } from '../command.ts';
import { modelThatIsSet } from '../model/model-that-is-set.ts';
import { isPinned } from '../model/pins.ts';
import { Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';
import { askForMainModel, refuseWhereNobodyAnswers } from '../model/wizard.ts';
import { askForToolsets } from '../tools/ask-toolsets.ts';
import { builtToolsets, enabledToolsets } from '../tools/toolset-choice.ts';
import { withFreshSettings } from './fresh-settings.ts';
import type { SectionName } from './sections.ts';
import { askForSection, describeSection } from './set-up-section.ts';

interface Step {
  readonly name: string;
  /** Asks, and stores all or nothing; says what was stored, or undefined when all stays as it was. Throws `Cancelled`. */
  ask(context: CliContext, prompts: Prompts): Promise<string | undefined>;
}

/** Throws `UserError` when there is no terminal, or the settings cannot be changed. */
export async function walkThroughSetup(context: CliContext, options: { readonly reset: boolean }): Promise<void> {
  await refuseWhereNobodyAnswers(context, 'hermes setup');
  const prompts = await openPrompts(context.io);
  prompts.intro('hermes setup: Enter keeps what is set, Ctrl+C leaves');
  const steps: readonly Step[] = [modelStep(options.reset), sectionStep('terminal'), sectionStep('agent'), toolsStep];
  const changed: Step[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      const stored = await step.ask(withFreshSettings(context), prompts);
      if (stored === undefined) continue;
      prompts.say(stored);
      changed.push(step);
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      const left = listed(steps.slice(index));
      const kept = changed.length === 0 ? 'Nothing was changed.' : `What was stored stays: ${listed(changed)}.`;
      prompts.outro(`${kept} Not gone through: ${left}. Go on with: hermes setup`);
      return;
    }
  }
  const { path } = context.home;
  prompts.say(`Settings: ${path}/config.yaml\nKeys:     ${path}/.env`);
  prompts.outro(changed.length === 0 ? 'Nothing was changed. Start with: hermes' : 'Ready. Start with: hermes');
}

function modelStep(reset: boolean): Step {
  return {
    name: 'model',
    async ask(context, prompts) {
      const now = reset ? undefined : await modelThatIsSet(context);
      if (now !== undefined && !(await wantsChange(prompts, `Model: ${now}`))) return undefined;
      return await askForMainModel(context, prompts, reset ? { reset: 'all' } : {});
    },
  };
}

function sectionStep(name: SectionName): Step {
  return {
    name,
    async ask(context, prompts) {
      const loaded = await context.config();
      if (!(await wantsChange(prompts, `${titles[name]}: ${describeSection(name, loaded, context.env)}`)))
        return undefined;
      const stored = await askForSection(context, prompts, name, loaded);
      return stored === undefined ? undefined : `Stored: ${stored}`;
    },
  };
}

const titles: Readonly<Record<SectionName, string>> = { terminal: 'Terminal', agent: 'Agent' };

const toolsStep: Step = {
  name: 'tools',
  async ask(context, prompts) {
    const { managed } = await context.config();
    const enabled = await enabledToolsets(context, 'cli');
    const on = [...builtToolsets().keys()].filter((name) => enabled.has(name));
    const now = `Tools: ${on.length === 0 ? 'none' : on.join(', ')}`;
    if (isPinned(managed, 'platform_toolsets')) {
      prompts.say(`${now} (set by your administrator)`);
      return undefined;
    }
    return (await wantsChange(prompts, now)) ? await askForToolsets(context, prompts) : undefined;
  },
};

async function wantsChange(prompts: Prompts, now: string): Promise<boolean> {
  return await prompts.confirm(`${now}\nChange that?`, false);
}

function listed(steps: readonly Step[]): string {
  return steps.map(({ name }) => name).join(', ');
}
