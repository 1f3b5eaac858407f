/** `hermes security`: packages with known holes, and the audit log of decisions. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../command.ts';

interface AuditFlags {
  readonly json?: true;
  readonly failOn: 'low' | 'moderate' | 'high' | 'critical';
  readonly skipVenv?: true;
  readonly skipPlugins?: true;
  readonly skipMcp?: true;
}

interface LogFlags {
  readonly verify?: true;
  readonly lines: number;
  readonly json?: true;
  readonly session?: string;
}

export function build(context: CliContext): Command {
  const command = new Command('security').description('Packages with known holes, and the audit log of decisions.');
  command
    .command('audit')
    .description(
      'asks OSV about the packages of this program, of plug-ins and of MCP servers; exit code 1 when one has a hole that reaches the level, 2 when the question fails',
    )
    .option('--json', 'print the result as JSON')
    .addOption(
      new Option('--fail-on <level>', 'the least severity that counts; one that is not known counts as high')
        .choices(['low', 'moderate', 'high', 'critical'])
        .default('critical'),
    )
    .option('--skip-venv', 'leave out the packages of this program')
    .option('--skip-plugins', 'leave out what plug-ins require')
    .option('--skip-mcp', 'leave out MCP servers')
    .action(async ({ json, failOn, skipVenv, skipPlugins, skipMcp }: AuditFlags) => {
      const { auditPackages } = await import('../security/audit-packages.ts');
      context.exitCode = await auditPackages(context, {
        json: json === true,
        failOn,
        own: skipVenv !== true,
        plugins: skipPlugins !== true,
        mcp: skipMcp !== true,
      });
    });
  command
    .command('log')
    .description('shows what was decided about tool calls, or checks that nobody changed the record')
    .option('--verify', 'check the whole chain; exit code 1 when something was changed or removed')
    .option('-n, --lines <count>', 'how many entries', wholeNumber, 50)
    .option('--json', 'print entries as they are, one JSON object a line')
    .option('--session <text>', 'only entries of sessions whose id contains this')
    .action(async ({ verify, ...flags }: LogFlags) => {
      const { showLog, verifyLog } = await import('../security/audit-trail.ts');
      if (verify === true) context.exitCode = await verifyLog(context, flags.json === true);
      else await showLog(context, flags);
    });
  return command;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
