/** `hermes computer-use`: the program that sees and operates the desktop. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

interface DoctorFlags {
  readonly include: readonly string[];
  readonly skip: readonly string[];
  readonly json?: true;
}

export function build(context: CliContext): Command {
  const command = new Command('computer-use').description(
    'The program that sees and operates the desktop for the agent (cua-driver).',
  );
  command
    .command('install')
    .description("run the driver's own installer")
    .option('--upgrade', 'bring the newest one, also where one is installed')
    .action(async ({ upgrade }: { upgrade?: true }) =>
      (await import('../computer-use/install.ts')).install(context, { upgrade: upgrade === true }),
    );
  command
    .command('status')
    .description('where it is, and whether there is a newer one')
    .action(async () => (await import('../computer-use/status.ts')).status(context));
  command
    .command('doctor')
    .description('what the driver finds of this desktop; exit code 0 when all is well, 1 when not, 2 without a driver')
    .option('--include <check>', 'only this check; may be repeated', collect, [])
    .option('--skip <check>', 'without this check; may be repeated', collect, [])
    .option('--json', 'the report as it is')
    .action(async ({ include, skip, json }: DoctorFlags) => {
      const { doctor } = await import('../computer-use/status.ts');
      context.exitCode = await doctor(context, { include, skip, json: json === true });
    });
  addPermissions(command, context);
  return command;
}

function addPermissions(parent: Command, context: CliContext): void {
  const permissions = parent.command('permissions').description('what macOS lets the driver do');
  permissions
    .command('status')
    .description('show it; exit code 1 when something is missing')
    .option('--json', 'for programs')
    .action(async ({ json }: { json?: true }) => {
      const { permissionStatus } = await import('../computer-use/permissions.ts');
      context.exitCode = await permissionStatus(context, json === true);
    });
  permissions
    .command('grant')
    .description('have macOS ask for it')
    .action(async () => {
      const { grantPermissions } = await import('../computer-use/permissions.ts');
      context.exitCode = await grantPermissions(context);
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
