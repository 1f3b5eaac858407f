/** The sections of `hermes setup`, in the order in which the whole of it goes through them. */
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { modelThatIsSet } from '../model/model-that-is-set.ts';
import { isPinned } from '../model/pins.ts';
import type { Prompts } from '../model/prompts.ts';
import { askForMainModel, chooseModel } from '../model/wizard.ts';
import { askForToolsets } from '../tools/ask-toolsets.ts';
import { builtToolsets, enabledToolsets, resetToolsets } from '../tools/toolset-choice.ts';
import { withFreshSettings } from './fresh-settings.ts';
import type { QuestionedSection } from './sections.ts';
import { askForSection, describeSection, setUpSection } from './set-up-section.ts';

export interface SectionRun {
  /** Shows what is set, or takes what the environment leads to. */
  readonly asksNothing: boolean;
  /** The settings of the section are put back to their defaults first. */
  readonly reset: boolean;
  /** Only what is missing is asked for. */
  readonly quick: boolean;
}

export interface SetupSection {
  /** As it is written behind `hermes setup`. */
  readonly name: string;
  /** `hermes setup <name>`. Throws `UserError` when somebody is to be asked and nobody is there. */
  run(context: CliContext, how: SectionRun): Promise<void>;
  /**
   * Its part of the whole: shows what is set, asks whether that is to change, and stores all or nothing. Says what was
   * stored, or undefined when all stays as it was. Throws `Cancelled`.
   */
  ask(context: CliContext, prompts: Prompts): Promise<string | undefined>;
}

export const setupSections: readonly SetupSection[] = [
  {
    name: 'model',
    async run(context, { asksNothing, reset, quick }) {
      const scope = reset ? 'model' : undefined;
      if (!asksNothing) return await chooseModel(context, 'hermes setup', { reset: scope, onlyMissing: quick });
      const { setUpWithoutQuestions } = await import('../model/without-questions.ts');
      await setUpWithoutQuestions(context, scope);
    },
    async ask(context, prompts) {
      const now = await modelThatIsSet(context);
      if (now !== undefined && !(await wantsChange(prompts, `Model: ${now}`))) return undefined;
      return await askForMainModel(context, prompts, {});
    },
  },
  questioned('terminal', 'Terminal'),
  questioned('agent', 'Agent'),
  {
    name: 'gateway',
    async run(context, { asksNothing, reset, quick }) {
      if (reset) {
        throw new UserError('hermes setup gateway has no --reset: credentials would be lost with it.', {
          exitCode: 2,
          hint: 'Take a platform out with: hermes config unset <variable>, such as TELEGRAM_BOT_TOKEN',
        });
      }
      const { setUpGateway, showGatewaySetup } = await import('../gateway/setup/set-up-gateway.ts');
      await (asksNothing || quick ? showGatewaySetup : setUpGateway)(context);
    },
    async ask(context, prompts) {
      const { askForGateway, describeGateway } = await import('../gateway/setup/set-up-gateway.ts');
      const now = `Chat platforms and servers: ${await describeGateway(context)}`;
      if (!(await wantsChange(prompts, now))) return undefined;
      const stored = await askForGateway(context, prompts);
      if (stored === undefined) return undefined;
      const { offerToRun } = await import('../gateway/setup/offer-to-run.ts');
      return `${stored}\n${await offerToRun(withFreshSettings(context), prompts)}`;
    },
  },
  {
    name: 'tools',
    async run(context, { asksNothing, reset }) {
      const { build } = await import('../commands/tools.ts');
      if (reset) await resetToolsets(context);
      await build(withFreshSettings(context)).parseAsync(asksNothing ? ['list'] : [], { from: 'user' });
    },
    async ask(context, prompts) {
      const { managed } = await context.config();
      const now = `Tools: ${await toolsThatAreOn(context)}`;
      if (isPinned(managed, 'platform_toolsets')) {
        prompts.say(`${now} (set by your administrator)`);
        return undefined;
      }
      return (await wantsChange(prompts, now)) ? await askForToolsets(context, prompts) : undefined;
    },
  },
];

/** A section that is a few settings, each with a question. */
function questioned(name: QuestionedSection, title: string): SetupSection {
  return {
    name,
    async run(context, { asksNothing, reset, quick }) {
      // Every setting of it has a value: none is missing.
      await setUpSection(context, name, { onlyShows: asksNothing || quick, reset });
    },
    async ask(context, prompts) {
      const loaded = await context.config();
      const now = `${title}: ${describeSection(name, loaded, context.env)}`;
      if (!(await wantsChange(prompts, now))) return undefined;
      const stored = await askForSection(context, prompts, name, loaded);
      return stored === undefined ? undefined : `Stored: ${stored}`;
    },
  };
}

/** For one line. */
export async function toolsThatAreOn(context: CliContext): Promise<string> {
  const enabled = await enabledToolsets(context, 'cli');
  const { disabled_toolsets: barred } = (await context.config()).config.agent;
  const on = [...builtToolsets().keys()].filter((name) => enabled.has(name) && !barred.includes(name));
  return on.length === 0 ? 'none' : on.join(', ');
}

async function wantsChange(prompts: Prompts, now: string): Promise<boolean> {
  return await prompts.confirm(`${now}\nChange that?`, false);
}
