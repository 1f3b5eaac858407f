/** Whose tools they are that are found, and whose words describe them. */
import type { Tool } from '../../agent/tool.ts';
import type { Source } from '../../llm/source.ts';

export const toolSource = { from: 'tool', name: 'tool_search' } as const;

const ofServers = 'mcp-';

export function originOf({ toolset }: Pick<Tool<unknown>, 'toolset'>) {
  if (toolset.startsWith(ofServers)) return { source: 'mcp', source_name: toolset.slice(ofServers.length) } as const;
  return { source: 'other', source_name: toolset } as const;
}

/** What servers say of their tools are their words. */
export function sourcesOf(tools: readonly Pick<Tool<unknown>, 'toolset'>[]): readonly Source[] {
  const servers = new Set(
    tools.map(originOf).flatMap(({ source, source_name: name }) => (source === 'mcp' ? [name] : [])),
  );
  return servers.size === 0 ? [toolSource] : [...servers].map((name) => ({ from: 'server', name }));
}

export function unknownTool(name: string): string {
  return `There is no tool '${name}' to find here. tool_search says which there are.`;
}
