/** `hermes mcp remove`. */
import { rmSync } from 'node:fs';
import { updateConfig } from '../../config/edit.ts';
import type { CliContext } from '../command.ts';
import { configuredServers, forgetLogin, serverNamed } from './configured.ts';
import { installFolder } from './fetch-server.ts';

export async function removeServer(context: CliContext, name: string): Promise<void> {
  await serverNamed(context, name);
  const isLast = (await configuredServers(context)).length === 1;
  const { home, env, io } = context;
  const path = isLast ? ['mcp_servers'] : ['mcp_servers', name];
  await updateConfig({ home, env }, [{ path, value: undefined }]);
  // Another server of this name must not be sent its tokens.
  await forgetLogin(context, name);
  // What was fetched for it; a name that could lead elsewhere was never installed.
  if (/^[\w-]+$/.test(name)) rmSync(installFolder(home.path, name), { recursive: true, force: true });
  io.stdout.write(`Removed the MCP server '${name}'. What runs now notices with its next message.\n`);
}
