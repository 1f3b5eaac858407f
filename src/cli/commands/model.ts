/** `hermes model`: chooses the provider and the model, and those of side tasks. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  return new Command('model')
    .description('Asks for a provider, its key or login and a model, and stores them.')
    .option('--refresh', 'fetch what is known of models again first, whatever its age')
    .option('--no-browser', 'show the address of a login instead of opening it')
    .option('--manual-paste', 'paste the address that a login led to, for machines without a browser')
    .action(async (options: { browser?: boolean; manualPaste?: boolean; refresh?: boolean }) => {
      const { chooseModel } = await import('../model/wizard.ts');
      await chooseModel(context, 'hermes model', options);
    });
}
