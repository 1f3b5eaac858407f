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
const laterSections: readonly string[] = ['tts', 'voice', 'terminal', 'gateway', 'agent'];

export function build(context: CliContext): Command {
  return new Command('setup')
    .description('Asks for a model provider, its key and a model, and stores them.')
    .argument('[section]', 'model or tools (the sections of this build); without one, the model')
    .option('--non-interactive', 'ask nothing: take what the environment and the settings lead to')
    .option('--reset', 'put the settings back to their defaults first; the old file is kept as a copy')
    .option('--quick', 'ask only for what is missing')
    .option('--reconfigure', 'ask for everything again (as it does anyway)')
    .action(async (section: string | undefined, options: SetupOptions) => {
      if (section === 'tools') {
        const { build: buildTools } = await import('./tools.ts');
        const asks = options.nonInteractive !== true && !context.settings.nonInteractive;
        await buildTools(context).parseAsync(asks ? [] : ['list'], { from: 'user' });
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
          hint: 'This build knows: model, tools',
        });
      }
      const reset = options.reset !== true ? undefined : section === undefined ? 'all' : 'model';
      if (options.nonInteractive === true || context.settings.nonInteractive) {
        const { setUpWithoutQuestions } = await import('../model/without-questions.ts');
        await setUpWithoutQuestions(context, reset);
        return;
      }
      const { chooseModel } = await import('../model/wizard.ts');
      await chooseModel(context, 'hermes setup', { reset, onlyMissing: options.quick === true });
    });
}
