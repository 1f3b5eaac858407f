/** `hermes setup`: the questions of a new installation. Its sections are those that this build has questions for. */
import { Command } from 'commander';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';

interface SetupOptions {
  readonly nonInteractive?: boolean;
  readonly reset?: boolean;
  readonly quick?: boolean;
}

/** Sections of the original that this build asks nothing for. */
const laterSections: readonly string[] = ['tts', 'voice', 'gateway'];

export function build(context: CliContext): Command {
  return new Command('setup')
    .description('Asks for a model provider, its key and a model, or for the settings of a section, and stores them.')
    .argument('[section]', 'model, agent, terminal or tools (the sections of this build); without one, the model')
    .option('--non-interactive', 'ask nothing: take what the environment and the settings lead to')
    .option('--reset', 'put the settings back to their defaults first; the old file is kept as a copy')
    .option('--quick', 'ask only for what is missing')
    .option('--reconfigure', 'ask for everything again (as it does anyway)')
    .action(async (section: string | undefined, options: SetupOptions) => {
      const asksNothing = options.nonInteractive === true || context.settings.nonInteractive;
      if (section === 'tools') {
        const { build: buildTools } = await import('./tools.ts');
        await buildTools(context).parseAsync(asksNothing ? ['list'] : [], { from: 'user' });
        return;
      }
      if (section === 'agent' || section === 'terminal') {
        const { setUpSection } = await import('../setup/set-up-section.ts');
        // Every setting of a section has a value: none is missing.
        const onlyShows = asksNothing || options.quick === true;
        await setUpSection(context, section, { onlyShows, reset: options.reset === true });
        return;
      }
      if (section !== undefined && section !== 'model') {
        if (laterSections.includes(section)) {
          throw new UserError(`The setup section '${section}' is not available in this build.`, {
            hint: 'Its settings can be changed with: hermes config set <key> <value>',
          });
        }
        throw new UserError(`unknown setup section '${section}'`, {
          exitCode: 2,
          hint: 'This build knows: model, agent, terminal, tools',
        });
      }
      const reset = options.reset !== true ? undefined : section === undefined ? 'all' : 'model';
      if (asksNothing) {
        const { setUpWithoutQuestions } = await import('../model/without-questions.ts');
        await setUpWithoutQuestions(context, reset);
        return;
      }
      const { chooseModel } = await import('../model/wizard.ts');
      await chooseModel(context, 'hermes setup', { reset, onlyMissing: options.quick === true });
    });
}
