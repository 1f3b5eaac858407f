/** Whose tools they are that are found. What servers say of theirs was agreed to, as where it is sent with each request. */
import type { Tool } from '../../agent/tool.ts';

export const toolSource = { from: 'tool', name: 'tool_search' } as const;

const ofServers = 'mcp-';

export function originOf({ toolset }: Pick<Tool<unknown>, 'toolset'>) {
  if (toolset.startsWith(ofServers)) return { source: 'mcp', source_name: toolset.slice(ofServers.length) } as const;
  return { source: 'other', source_name: toolset } as const;
}

export function unknownTool(name: string): string {
  return `There is no tool '${name}' to find here. tool_search says which there are.`;
}
