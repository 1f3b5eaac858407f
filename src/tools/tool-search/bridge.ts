/** The way to tools that are too many to be sent with each request. */
import type { Tool } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { toolCallTool } from './tool-call.ts';
import { toolDescribeTool } from './tool-describe.ts';
import { describedFor, toolSearchTool } from './tool-search.ts';

export const bridgeTools: readonly Tool<ToolServices>[] = [toolSearchTool, toolDescribeTool, toolCallTool];

/** With how many there are to find. That stays in the description as it was: a change would void the cache. */
export function bridgeTo(count: number): readonly Tool<ToolServices>[] {
  const description = describedFor(count);
  return bridgeTools.map((tool) => (tool === toolSearchTool ? { ...tool, description } : tool));
}
