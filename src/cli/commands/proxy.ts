/** `hermes proxy`: lets other programs of this machine use the login of a provider. */
import { Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../command.ts';
import type { ProxyStartOptions } from '../proxy/actions.ts';

export function build(context: CliContext): Command {
  const command = new Command('proxy').description(
    'A local OpenAI-compatible endpoint that puts your own login on each request.',
  );
  const actions = async () => await import('../proxy/actions.ts');
  command
    .command('start')
    .description('forward requests until it is ended')
    .option('--provider <name>', 'nous or xai', 'nous')
    .option('--host <address>', 'where to listen; 0.0.0.0 lets other machines in', '127.0.0.1')
    .option('--port <number>', 'the port', portNumber, 8645)
    .action(async (options: ProxyStartOptions) => (await actions()).start(context, options));
  command
    .command('status')
    .description('whose login could be used')
    .action(async () => (await actions()).showStatus(context));
  command
    .command('providers')
    .alias('list')
    .description('whom requests can be forwarded to')
    .action(async () => (await actions()).listProviders(context));
  return command;
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port from 1 to 65535.');
}
