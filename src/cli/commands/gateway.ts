/** `hermes gateway`: the agent in chat platforms, in the foreground or as a service. */
import { Command, Option } from 'commander';
import { acceptHooksText } from '../chat/options.ts';
import type { CliContext } from '../command.ts';
import type { MigrateOptions } from '../gateway/migrate-legacy.ts';
import type { RunOptions } from '../gateway/run.ts';
import type { InstallFlags, ScopeOptions } from '../gateway/service-actions.ts';
import type { StatusOptions } from '../gateway/show.ts';

export function build(context: CliContext): Command {
  const command = new Command('gateway')
    .description('Connects the agent to chat platforms.')
    .option('--accept-hooks', acceptHooksText);
  command
    .command('run', { isDefault: true })
    .description('run in the foreground (the default)')
    .option('-v, --verbose', 'show the log: once from INFO on, twice all of it', (_word, count: number) => count + 1, 0)
    .option('-q, --quiet', 'say nothing')
    .option('--replace', 'end a gateway that runs in this home, and take its place')
    .option('--accept-hooks', acceptHooksText)
    .addOption(new Option('--external-supervisor', 'something outside starts it again when it ends with exit code 75'))
    .action(async (options: RunOptions) => (await import('../gateway/run.ts')).run(context, options));
  command
    .command('setup')
    .description('set up chat platforms, the API server and webhooks by questions')
    .action(async () => (await import('../gateway/setup/set-up-gateway.ts')).setUpGateway(context));
  addService(command, context);
  command
    .command('status')
    .description('show whether it runs, and how its platforms are')
    .option('--deep', 'with the end of its log')
    .option('-l, --full', 'do not shorten lines')
    .option('--system', 'also say when there is no service of the system')
    .action(async (options: StatusOptions) => (await import('../gateway/show.ts')).showStatus(context, options));
  command
    .command('list')
    .description('show every profile and whether its gateway runs')
    .action(async () => (await import('../gateway/show.ts')).listGateways(context));
  command
    .command('migrate-legacy')
    .description('remove units of older installations')
    .option('--dry-run', 'only say which')
    .option('-y, --yes', 'do not ask')
    .action(async (options: MigrateOptions) =>
      (await import('../gateway/migrate-legacy.ts')).migrateLegacy(context, options),
    );
  return command;
}

function addService(command: Command, context: CliContext): void {
  const actions = async () => await import('../gateway/service-actions.ts');
  command
    .command('install')
    .description('install it as a service that is started at login and again when it ends')
    .option('--force', 'also where it is installed already')
    .option('--system', 'a service of the system, started at boot (Linux, as root)')
    .option('--run-as-user <name>', 'whom a service of the system runs as')
    .option('--start-now', 'start it at once (the default)', true)
    .option('--no-start-now', 'do not start it yet')
    .option('--start-on-login', 'start it at every login (the default)', true)
    .option('--no-start-on-login', 'only start it by hand')
    .action(async (options: InstallFlags) => (await actions()).install(context, options));
  command
    .command('uninstall')
    .description('remove the service')
    .option('--system', 'that of the system')
    .action(async (options: ScopeOptions) => (await actions()).uninstall(context, options));
  for (const [name, description] of [
    ['start', 'start the service'],
    ['stop', 'stop the service, or one that was started by hand'],
    ['restart', 'restart the service; running turns get time to end'],
  ] as const) {
    command
      .command(name)
      .description(description)
      .option('--system', 'that of the system')
      .option('--all', 'those of all profiles')
      .action(async (options: ScopeOptions) => (await actions())[name](context, options));
  }
}
