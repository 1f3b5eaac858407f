/** `tool_describe`: says how a tool is called that is not sent with each request. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure } from '../../agent/tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { toolSource, unknownTool } from './origin.ts';

const parameters = z.object({ name: z.string() });

export const toolDescribeTool = defineTool<ToolServices, typeof parameters>({
  name: 'tool_describe',
  toolset: 'tool_search',
  description: 'The description and the parameters of a tool that tool_search found.',
  parameters,
  traits: { idempotent: true },
  display: { emoji: '🔎', preview: ({ name }) => name },
  judge: () => harmless,
  sources: () => [toolSource],
  parallel: 'safe',
  execute: ({ name }, { services: { state } }) => {
    const tool = state.foundTools.find(name);
    if (tool === undefined) return Promise.resolve(failure(unknownTool(name)));
    return Promise.resolve(answer({ name, description: tool.description, parameters: tool.schema }));
  },
});
