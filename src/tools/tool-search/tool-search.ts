/** `tool_search`: finds tools that are too many to be sent with each request. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer } from '../../agent/tool.ts';
import { harmless } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { originOf, toolSource } from './origin.ts';
import { rankTools } from './rank.ts';

const maxDescriptionChars = 400;

const parameters = z.object({
  query: z.string().describe('Words for what the tool should do'),
  limit: z.number().int().optional(),
});

export const toolSearchTool = defineTool<ToolServices, typeof parameters>({
  name: 'tool_search',
  toolset: 'tool_search',
  description: describedFor('some'),
  parameters,
  traits: { idempotent: true },
  display: { emoji: '🔎', preview: ({ query }) => firstWords(query) },
  judge: () => harmless,
  sources: () => [toolSource],
  parallel: 'safe',
  execute: ({ query, limit }, { services: { config, state } }) => {
    const { search_default_limit, max_search_limit } = config.tools.tool_search;
    const most = Math.min(50, Math.max(1, max_search_limit));
    const wanted = Math.min(most, Math.max(1, limit ?? search_default_limit));
    const tools = state.foundTools.list();
    const matches = rankTools(tools, query, wanted).map((tool) => ({
      name: tool.name,
      ...originOf(tool),
      description: shortened(tool.description),
    }));
    return Promise.resolve(answer({ query, total_available: tools.length, matches }));
  },
});

/** `count`: how many there are to find. */
export function describedFor(count: number | 'some'): string {
  return `Search among ${count} further tools that are not listed here. Use one with tool_describe, then tool_call.`;
}

function shortened(text: string): string {
  return text.length <= maxDescriptionChars ? text : `${text.slice(0, maxDescriptionChars - 1).toWellFormed()}…`;
}
