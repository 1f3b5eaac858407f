/** `hermes permissions`: what may run without a question, and taking it back. */
import { Command } from 'commander';
import { permissionLines, revoke } from '../../commands/settings/permission-list.ts';
import { loadConfig } from '../../config/load.ts';
import { updateConfig } from '../../config/edit.ts';
import type { CliContext } from '../command.ts';

export function build({ io, home, env }: CliContext): Command {
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  const allowed = async (): Promise<readonly string[]> => (await loadConfig({ home, env })).config.command_allowlist;
  const command = new Command('permissions').description('What may run without a question, and taking it back.');
  command
    .command('list', { isDefault: true })
    .description('everything that was allowed for good')
    .action(async () => {
      for (const line of permissionLines(await allowed(), 'Take one back: hermes permissions revoke N')) print(line);
    });
  command
    .command('revoke')
    .description('ask about a kind of command again')
    .argument('<which>', 'its number in the list, its name, or all')
    .action(async (which: string) => {
      const { revoked, change } = revoke(await allowed(), which);
      await updateConfig({ home, env }, [change]);
      print(`Taken back: ${revoked.join(', ')}`);
    });
  return command;
}
