/** `hermes permissions`: what may run without a question, and taking it back. */
import { Command } from 'commander';
import { type Allowed, permissionLines, revoke } from '../../commands/settings/permission-list.ts';
import { loadConfig } from '../../config/load.ts';
import { updateConfig } from '../../config/edit.ts';
import type { CliContext } from '../command.ts';

export function build({ io, home, env }: CliContext): Command {
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  const allowed = async (): Promise<Allowed> => {
    const { approvals, command_allowlist } = (await loadConfig({ home, env })).config;
    return { commands: approvals.allow, kinds: command_allowlist };
  };
  const command = new Command('permissions').description('What may run without a question, and taking it back.');
  command
    .command('list', { isDefault: true })
    .description('everything that was allowed for good')
    .action(async () => {
      for (const line of permissionLines(await allowed(), 'Take one back: hermes permissions revoke N')) print(line);
    });
  command
    .command('revoke')
    .description('ask about it again')
    .argument('<which>', 'its number in the list, its name, or all')
    .action(async (which: string) => {
      const { revoked, changes } = revoke(await allowed(), which);
      await updateConfig({ home, env }, changes);
      print(`Taken back: ${revoked.join(', ')}`);
    });
  return command;
}
