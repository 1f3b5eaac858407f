/** `hermes login`: an old name that says where logging in has gone. */
import { Command } from 'commander';
import { UserError } from '../../lib/errors.ts';

export function build(): Command {
  return new Command('login')
    .description('Was replaced by `hermes auth add`.')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UserError('`hermes login` was replaced.', {
        hint: 'Log in with `hermes auth add <provider>`, choose a model with `hermes model`, or set everything up with `hermes setup`.',
      });
    });
}
