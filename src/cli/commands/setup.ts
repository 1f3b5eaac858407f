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
    .description(
      'Asks for a model provider, its key and a model, then for other settings that matter, and stores them.',
    )
    .argument('[section]', 'model, terminal, agent or tools (the sections of this build); without one, all of them')
    .option('--non-interactive', 'ask nothing: take what the environment and the settings lead to')
    .option('--reset', 'put the settings back to their defaults first; the old file is kept as a copy')
    .option('--quick', 'ask only for what is missing: of the model, as all else has a value')
    .option('--reconfigure', 'ask for everything again (as it does anyway)')
    .action(async (section: string | undefined, options: SetupOptions) => {
      const asksNothing = options.nonInteractive === true || context.settings.nonInteractive;
      if (section === 'tools') {
        const { build: buildTools } = await import('./tools.ts');
        const { resetToolsets } = await import('../tools/toolset-choice.ts');
        if (options.reset === true) await resetToolsets(context);
        const { withFreshSettings } = await import('../setup/fresh-settings.ts');
        await buildTools(withFreshSettings(context)).parseAsync(asksNothing ? ['list'] : [], { from: 'user' });
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
          hint: 'This build knows: model, terminal, agent, tools',
        });
      }
      const reset = options.reset !== true ? undefined : section === undefined ? 'all' : 'model';
      if (asksNothing) {
        const { setUpWithoutQuestions } = await import('../model/without-questions.ts');
        await setUpWithoutQuestions(context, reset);
        return;
      }
      if (section === undefined && options.quick !== true) {
        const { walkThroughSetup } = await import('../setup/walk.ts');
        await walkThroughSetup(context, { reset: reset !== undefined });
        return;
      }
      const { chooseModel } = await import('../model/wizard.ts');
      await chooseModel(context, 'hermes setup', { reset, onlyMissing: options.quick === true });
    });
}
