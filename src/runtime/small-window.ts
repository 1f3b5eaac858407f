/** What a session with a small model leaves out by itself, so that its window holds the work. */
import type { Tool } from '../agent/tool.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SessionSpec } from './session-spec.ts';
import { wordedTools } from './tool-wording.ts';

/** Tokens. Below this the prompt and the tools say as little as will do. */
export const roomyWindow = 64_000;
/** Below this only a few tools are offered, unless tools were named. */
const tightWindow = 16_000;
const fewTools: ReadonlySet<string> = new Set(['terminal', 'read_file', 'write_file', 'patch', 'search_files']);

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
    config: { ...config, config: { ...config.config, agent: { ...agent, prompt_profile: 'lean' } } },
    tools: wordedTools(few ? tools.filter(({ name }) => fewTools.has(name)) : tools, 'lean'),
  };
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
