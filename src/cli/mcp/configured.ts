/** The tool servers of the configuration, for commands. */
import { UserError } from '../../lib/errors.ts';
import { mcpOptions } from '../../runtime/program-servers.ts';
import { readPackage } from '../commands/version.ts';
import type { CliContext } from '../command.ts';
import type { LoadedConfig } from '../../config/load.ts';

export type ServerEntry = LoadedConfig['config']['mcp_servers'][string];

export async function configuredServers(context: CliContext): Promise<readonly (readonly [string, ServerEntry])[]> {
  const { config } = await context.config();
  return Object.entries(config.mcp_servers);
}

/** Throws `UserError` with the names there are. */
export async function serverNamed(context: CliContext, name: string): Promise<ServerEntry> {
  const servers = await configuredServers(context);
  const entry = servers.find(([known]) => known === name)?.[1];
  if (entry !== undefined) return entry;
  const known = servers.map(([each]) => each).join(', ');
  throw new UserError(`There is no MCP server '${name}' in config.yaml.`, {
    exitCode: 2,
    hint: known === '' ? "'hermes mcp add' adds one." : `There are: ${known}`,
  });
}

/** It has an address, and a login with OAuth. */
export function isGuarded({ url, auth }: ServerEntry): boolean {
  return url !== undefined && url !== '' && auth?.toLowerCase() === 'oauth';
}

/** Does nothing when there is none. */
export async function forgetLogin({ home }: CliContext, name: string): Promise<void> {
  const { LoginFiles } = await import('../../mcp/oauth/login-files.ts');
  new LoginFiles(home.path, name).remove();
}

/** What a look at a server needs. */
export async function probeOptions(context: CliContext) {
  const { home, env, log } = context;
  const config = await context.config();
  return mcpOptions({ home, env, config, cwd: process.cwd(), version: readPackage().version }, log.named('mcp'));
}
