/** Whose tools they are that are found. What servers say of theirs was agreed to, as where it is sent with each request. */
import type { Tool } from '../../agent/tool.ts';

export const toolSource = { from: 'tool', name: 'tool_search' } as const;

export function originOf({ addedBy, toolset }: Pick<Tool<unknown>, 'addedBy' | 'toolset'>) {
  return addedBy === undefined
    ? ({ source: 'other', source_name: toolset } as const)
    : { source: addedBy.kind, source_name: addedBy.name };
}

export function unknownTool(name: string): string {
  return `There is no tool '${name}' to find here. tool_search says which there are.`;
}
