/** `tool_search`, `tool_describe`, `tool_call`: the way to tools that are too many to be sent with each request. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type Tool } from '../../agent/tool.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { harmless } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { rankTools } from './rank.ts';

const maxDescriptionChars = 400;
/** What is said of tools are words of whoever made them. */
const toolset = 'tool_search';

/** `count`: how many there are to find; it stays in the description as it was, since a change would void the cache. */
export function toolSearch(count: number): readonly Tool<ToolServices>[] {
  return [searchTool(count), describeTool, callTool];
}

const searchParameters = z.object({
  query: z.string().describe('Words for what the tool should do'),
  limit: z.number().int().optional(),
});

const searchTool = (count: number): Tool<ToolServices> =>
  defineTool<ToolServices, typeof searchParameters>({
    name: 'tool_search',
    toolset,
    description: `Search among ${count} further tools that are not listed here. Use one with tool_describe, then tool_call.`,
    parameters: searchParameters,
    traits: { idempotent: true },
    display: { emoji: '🔎', preview: ({ query }) => firstWords(query) },
    judge: () => harmless,
    sources: (_, { state }) => sourcesOf(state.foundTools.list()),
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

const describeParameters = z.object({ name: z.string() });

const describeTool = defineTool<ToolServices, typeof describeParameters>({
  name: 'tool_describe',
  toolset,
  description: 'The description and the parameters of a tool that tool_search found.',
  parameters: describeParameters,
  traits: { idempotent: true },
  display: { emoji: '🔎', preview: ({ name }) => name },
  judge: () => harmless,
  sources: ({ name }, { state }) => sourcesOf([state.foundTools.find(name)].filter((tool) => tool !== undefined)),
  parallel: 'safe',
  execute: ({ name }, { services: { state } }) => {
    const tool = state.foundTools.find(name);
    if (tool === undefined) return Promise.resolve(failure(unknownTool(name)));
    return Promise.resolve(answer({ name, description: tool.description, parameters: tool.schema }));
  },
});

const callParameters = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).describe("The tool's arguments"),
});

/** Never runs itself: its calls are calls of the tool that they name, before anything else looks at them. */
const callTool: Tool<ToolServices> = {
  ...defineTool<ToolServices, typeof callParameters>({
    name: 'tool_call',
    toolset,
    description: 'Call a tool that tool_search found.',
    parameters: callParameters,
    display: { preview: ({ name }) => name },
    judge: () => harmless,
    sources: () => [toolSource],
    parallel: 'never',
    execute: ({ name }) => Promise.resolve(failure(unknownTool(name))),
  }),
  forward: ({ name, arguments: given }) => {
    const args = typeof given === 'string' ? parseJson(given) : given;
    if (typeof name !== 'string' || !isJsonObject(args)) return undefined;
    return { name, args };
  },
};

function unknownTool(name: string): string {
  return `There is no tool '${name}' to find here. tool_search says which there are.`;
}

function originOf({ toolset: set }: Tool<unknown>) {
  if (set.startsWith('mcp-')) return { source: 'mcp', source_name: set.slice('mcp-'.length) };
  return { source: 'other', source_name: set };
}

/** The words of servers are their own. */
function sourcesOf(tools: readonly Tool<unknown>[]) {
  const servers = new Set(
    tools.map(originOf).flatMap(({ source, source_name: name }) => (source === 'mcp' ? [name] : [])),
  );
  return servers.size === 0 ? [toolSource] : [...servers].map((name) => ({ from: 'server', name }) as const);
}

const toolSource = { from: 'tool', name: 'tool_search' } as const;

function shortened(text: string): string {
  return text.length <= maxDescriptionChars ? text : `${text.slice(0, maxDescriptionChars - 1).toWellFormed()}…`;
}
