/** `hermes mcp remove`. */
import { updateConfig } from '../../config/edit.ts';
import type { CliContext } from '../command.ts';
import { configuredServers, forgetLogin, serverNamed } from './configured.ts';

export async function removeServer(context: CliContext, name: string): Promise<void> {
  await serverNamed(context, name);
  const isLast = (await configuredServers(context)).length === 1;
  const { home, env, io } = context;
  const path = isLast ? ['mcp_servers'] : ['mcp_servers', name];
  await updateConfig({ home, env }, [{ path, value: undefined }]);
  // Another server of this name must not be sent its tokens.
  await forgetLogin(context, name);
  io.stdout.write(`Removed the MCP server '${name}'. What runs now notices with its next message.\n`);
}
