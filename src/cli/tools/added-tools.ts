/** What others bring to a surface: the toolsets of plug-ins, and the tools of MCP servers, which are switched one by one. */
import { updateConfig } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { chooseServerTools } from '../../runtime/choose-server-tools.ts';
import { openEnabledPlugins } from '../../runtime/open-hooks.ts';
import type { CliContext } from '../command.ts';
import { currentDirectory } from '../chat/current-directory.ts';
import { oneLine } from '../render/terminal-text.ts';

/** One line of `hermes tools list`. */
export interface ToolsetRow {
  readonly name: string;
  readonly isOn: boolean;
  readonly text: string;
}

/** Of the plug-ins that are enabled. Their code is loaded for it; what cannot be is told on stderr. */
export async function pluginToolsets(context: CliContext): Promise<readonly ToolsetRow[]> {
  const { home, env, io, log } = context;
  const config = await context.config();
  const barred = config.config.agent.disabled_toolsets;
  const warn = (line: string): void => void io.stderr.write(`${oneLine(line, 300)}\n`);
  const opened = await openEnabledPlugins({ home, env, config, cwd: currentDirectory() }, log, warn);
  try {
    return [...Map.groupBy(opened.tools, ({ toolset }) => toolset)].map(([name, tools]) => {
      return { name, isOn: !barred.includes(name), text: tools.map((tool) => tool.name).join(', ') };
    });
  } finally {
    await opened.close();
  }
}

/** As the configuration has them: none is started. */
export async function serverRows(context: CliContext, platform: string): Promise<readonly ToolsetRow[]> {
  const { config } = await context.config();
  const { mcp_servers: servers, custom_toolsets: sets } = config;
  const choice = chooseServerTools({
    wanted: config.platform_toolsets[platform] ?? config.toolsets,
    isWhole: false,
    disabled: config.agent.disabled_toolsets,
    custom: Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, [...set.tools, ...set.includes]])),
    servers: Object.keys(servers),
  });
  return Object.entries(servers).map(([name, { enabled, tools }]) => {
    const { include, exclude } = tools;
    const without = exclude.length === 0 ? 'all tools' : `without ${exclude.join(', ')}`;
    const text = include === undefined ? without : include.length === 0 ? 'no tools' : `only ${include.join(', ')}`;
    return { name, isOn: enabled && choice.wants({ names: [`mcp-${name}`, name] }), text };
  });
}

/** `server:tool`; undefined for the name of a toolset. Throws `UserError` for a server that is not configured. */
export async function serverToolOf(
  context: CliContext,
  name: string,
): Promise<{ readonly server: string; readonly tool: string } | undefined> {
  const servers = Object.keys((await context.config()).config.mcp_servers);
  const server = servers.find((each) => name.startsWith(`${each}:`) && name.length > each.length + 1);
  if (server !== undefined) return { server, tool: name.slice(server.length + 1) };
  if (!name.includes(':')) return undefined;
  throw new UserError(`'${name}' names no tool of a configured MCP server; nothing was changed.`, {
    exitCode: 2,
    hint: servers.length === 0 ? 'None is configured.' : `There are: ${servers.join(', ')}`,
  });
}

/** Switches single tools of servers, for every surface. */
export async function switchServerTools(
  context: CliContext,
  tools: readonly { readonly server: string; readonly tool: string }[],
  on: boolean,
): Promise<void> {
  const { mcp_servers: entries } = (await context.config()).config;
  const changes = [...Map.groupBy(tools, ({ server }) => server)].map(([server, named]) => {
    const names = named.map(({ tool }) => tool);
    const { include, exclude = [] } = entries[server]?.tools ?? {};
    // A list of those that are offered stays one; without it those that are not are listed.
    const isAllowlist = include !== undefined;
    const before = include ?? exclude;
    const value =
      isAllowlist === on
        ? [...before, ...names.filter((name) => !before.includes(name))]
        : before.filter((name) => !names.includes(name));
    return { path: ['mcp_servers', server, 'tools', isAllowlist ? 'include' : 'exclude'], value };
  });
  await updateConfig(context, changes);
}
