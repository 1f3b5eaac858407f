/** `hermes logout`: forgets the login of a provider, by default that of the last one. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  return new Command('logout')
    .description('Forgets the login of a provider, by default that of the last one.')
    .option('--provider <id>', 'which provider')
    .action(async ({ provider }: { provider?: string }) => {
      const { openCredentials } = await import('../auth/credentials.ts');
      const { logOut } = await import('../auth/change.ts');
      const id = provider ?? (await openCredentials(context)).store.activeProvider();
      if (id !== undefined) return logOut(context, id);
      context.io.stdout.write('No provider is currently logged in.\n');
    });
}
