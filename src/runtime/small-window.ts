/** What a session with a small model leaves out by itself, so that its window holds the work. */
import type { Tool } from '../agent/tool.ts';
import type { LoadedConfig } from '../config/load.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SessionSpec } from './session-spec.ts';
import { wordedTools } from './tool-wording.ts';

/** Tokens. Below this the prompt and the tools say as little as will do. */
export const roomyWindow = 64_000;
/** Below this only a few tools are offered, unless tools were named. */
const tightWindow = 16_000;
/** With the parameters that are shown of each: a model in this process reads and writes every one of them. */
const fewTools: ReadonlyMap<string, readonly string[]> = new Map([
  ['terminal', ['command']],
  ['read_file', ['path', 'offset', 'limit']],
  ['write_file', ['path', 'content']],
  ['patch', ['path', 'old_string', 'new_string']],
  ['search_files', ['pattern', 'target', 'path']],
]);

interface SmallSession<Services> {
  readonly config: LoadedConfig;
  readonly tools: readonly Tool<Services>[];
}

/** The configuration and tools of a session as its model can carry them: unchanged where the window is roomy or unknown. */
export function fitToWindow<Services>(
  { contextLength }: Pick<ModelRoute, 'contextLength'>,
  { config, tools }: SmallSession<Services>,
  { toolsets }: Pick<SessionSpec, 'toolsets'>,
): SmallSession<Services> {
  if (contextLength === undefined || contextLength >= roomyWindow) return { config, tools };
  const few = contextLength < tightWindow && toolsets === undefined;
  const { agent } = config.config;
  return {
    config: {
      ...config,
      config: {
        ...config.config,
        agent: {
          ...agent,
          prompt_profile: 'lean',
          // What git says of a workspace is as much as all of these tools.
          ...(few && agent.coding_context === 'auto' ? { coding_context: 'off' } : {}),
        },
      },
    },
    tools: wordedTools(few ? fewOf(tools) : tools, 'lean'),
  };
}

function fewOf<Services>(tools: readonly Tool<Services>[]): readonly Tool<Services>[] {
  return tools.flatMap((tool) => {
    const shown = fewTools.get(tool.name);
    return shown === undefined ? [] : [{ ...tool, schema: withOnly(tool.schema, shown) }];
  });
}

/** What is not shown keeps its default. Where nothing was required, as there were several ways to call it, all of these are. */
function withOnly(schema: JsonObject, names: readonly string[]): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const shown = Object.entries(properties).filter(([name]) => names.includes(name));
  return { required: [...names], ...schema, properties: Object.fromEntries(shown) };
}

/** One line for the user; undefined where nothing was left out. */
export function smallWindowLine({
  model,
  contextLength,
}: Pick<ModelRoute, 'model' | 'contextLength'>): string | undefined {
  if (contextLength === undefined || contextLength >= roomyWindow) return undefined;
  const count = contextLength.toLocaleString('en-US');
  const few = contextLength < tightWindow ? ' with few tools' : '';
  return `${model} has a window of ${count} tokens (64,000 are advised): the prompt is short${few}, and conversations are shortened early.`;
}
