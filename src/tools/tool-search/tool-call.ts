/** `tool_call`: calls a tool that is not sent with each request. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure, type Tool } from '../../agent/tool.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { toolSource, unknownTool } from './origin.ts';

const parameters = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).describe("The tool's arguments"),
});

/** Never runs itself: its calls are calls of the tool that they name, before anything else looks at them. */
const named = defineTool<ToolServices, typeof parameters>({
  name: 'tool_call',
  toolset: 'tool_search',
  description: 'Call a tool that tool_search found.',
  parameters,
  display: { preview: ({ name }) => name },
  judge: () => harmless,
  sources: () => [toolSource],
  parallel: 'never',
  execute: ({ name }) => Promise.resolve(failure(unknownTool(name))),
});

export const toolCallTool: Tool<ToolServices> = {
  ...named,
  forward: ({ name, arguments: given }) => {
    const args = typeof given === 'string' ? parseJson(given) : given;
    if (typeof name !== 'string' || !isJsonObject(args)) return undefined;
    return { name, args };
  },
};
