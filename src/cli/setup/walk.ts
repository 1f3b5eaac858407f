/** `hermes setup` without a section: all of them in turn, each stored when its last question is answered. */
import type { CliContext } from '../command.ts';
import { Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';
import { askForMainModel, refuseWhereNobodyAnswers } from '../model/wizard.ts';
import { setupSections, toolsThatAreOn } from './catalogue.ts';
import { stepsOfFirstRun } from './first-run.ts';
import { withFreshSettings } from './fresh-settings.ts';
import { type Step, stepOf } from './step.ts';

/** Throws `UserError` when there is no terminal, or the settings cannot be changed. */
export async function walkThroughSetup(context: CliContext, options: { readonly reset: boolean }): Promise<void> {
  await refuseWhereNobodyAnswers(context, 'hermes setup');
  const prompts = await openPrompts(context.io);
  prompts.intro('hermes setup: Enter keeps what is set, Ctrl+C leaves');
  const waiting: Step[] = setupSections.map(stepOf);
  const changed: string[] = [];
  try {
    const first = options.reset ? stepsOfReset() : await stepsOfFirstRun(context, prompts);
    if (first !== undefined) waiting.splice(0, waiting.length, ...first);
    for (let step = waiting[0]; step !== undefined; step = waiting[0]) {
      const { said, next = [] } = await step.ask(withFreshSettings(context), prompts);
      waiting.splice(0, 1, ...next);
      if (said === undefined) continue;
      prompts.say(said);
      changed.push(step.name);
    }
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    const kept = changed.length === 0 ? 'Nothing was changed.' : `What was stored stays: ${changed.join(', ')}.`;
    const left = waiting.map(({ name }) => name).join(', ');
    prompts.outro(`${kept} Not gone through: ${left}. Go on with: hermes setup`);
    return;
  }
  await sumUp(context, prompts, changed.length > 0);
}

/** The settings go back to their defaults together with the answers to the first section. */
function stepsOfReset(): readonly Step[] {
  const model: Step = {
    name: 'model',
    ask: async (context, prompts) => ({ said: await askForMainModel(context, prompts, { reset: 'all' }) }),
  };
  return [model, ...setupSections.map(stepOf).filter(({ name }) => name !== model.name)];
}

/** What there is now, and where it stands. */
async function sumUp(context: CliContext, prompts: Prompts, isChanged: boolean): Promise<void> {
  const { path } = context.home;
  const tools = await toolsThatAreOn(withFreshSettings(context));
  prompts.say(`Tools:    ${tools}\nSettings: ${path}/config.yaml\nKeys:     ${path}/.env`);
  prompts.outro(isChanged ? 'Ready. Start with: hermes' : 'Nothing was changed. Start with: hermes');
}
