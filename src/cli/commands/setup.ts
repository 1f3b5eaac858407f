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
const laterSections: readonly string[] = ['tts', 'voice'];

export function build(context: CliContext): Command {
  return new Command('setup')
    .description(
      'Asks for a model provider, its key and a model, then for other settings that matter, and stores them.',
    )
    .argument(
      '[section]',
      'model, terminal, agent, gateway or tools (the sections of this build); without one, all of them',
    )
    .option('--non-interactive', 'ask nothing: take what the environment and the settings lead to')
    .option('--reset', 'put the settings back to their defaults first; the old file is kept as a copy')
    .option('--quick', 'ask only for what is missing: of the model, as all else has a value')
    .option('--reconfigure', 'ask for everything again (as it does anyway)')
    .action(async (name: string | undefined, options: SetupOptions) => {
      const asksNothing = options.nonInteractive === true || context.settings.nonInteractive;
      const how = { asksNothing, reset: options.reset === true, quick: options.quick === true };
      if (name !== undefined) {
        const { setupSections } = await import('../setup/catalogue.ts');
        const section = setupSections.find((each) => each.name === name);
        if (section === undefined) throw unknownSection(name, setupSections);
        await section.run(context, how);
      } else if (asksNothing) {
        const { setUpWithoutQuestions } = await import('../model/without-questions.ts');
        await setUpWithoutQuestions(context, how.reset ? 'all' : undefined);
      } else if (how.quick) {
        const { chooseModel } = await import('../model/wizard.ts');
        await chooseModel(context, 'hermes setup', { reset: how.reset ? 'all' : undefined, onlyMissing: true });
      } else {
        const { walkThroughSetup } = await import('../setup/walk.ts');
        await walkThroughSetup(context, how);
      }
    });
}

function unknownSection(name: string, sections: readonly { readonly name: string }[]): UserError {
  if (laterSections.includes(name)) {
    return new UserError(`The setup section '${name}' is not available in this build.`, {
      hint: 'Its settings can be changed with: hermes config set <key> <value>',
    });
  }
  return new UserError(`unknown setup section '${name}'`, {
    exitCode: 2,
    hint: `This build knows: ${sections.map((each) => each.name).join(', ')}`,
  });
}
