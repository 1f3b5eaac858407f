/** `hermes logout`: an old name that says where logging out has gone. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build({ io }: CliContext): Command {
  return new Command('logout')
    .description('Was replaced by `hermes auth logout`.')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      io.stdout.write(
        '`hermes logout` was replaced. Log out with `hermes auth logout <provider>`, choose another model with `hermes model`, or start over with `hermes setup`.\n',
      );
    });
}
