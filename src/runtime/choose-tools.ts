/** The tools of a session: named sets, minus what the configuration takes away, in the words of its prompt profile. */
import type { Tool } from '../agent/tool.ts';
import type { Config } from '../config/load.ts';
import { toolCatalogue } from '../tools/catalogue.ts';
import type { ToolServices } from '../tools/services.ts';
import { selectTools } from '../tools/toolsets.ts';
import type { SessionSpec } from './session-spec.ts';
import { wordedTools } from './tool-wording.ts';

export interface ChosenTools {
  readonly tools: readonly Tool<ToolServices>[];
  /** One line for each name that means nothing here. */
  readonly warnings: readonly string[];
}

/** Loads what was chosen and nothing else. */
export async function chooseTools(
  config: Config,
  { surface, toolsets }: Pick<SessionSpec, 'surface' | 'toolsets'>,
): Promise<ChosenTools> {
  const { tools, unknown } = selectTools(toolCatalogue, {
    wanted: toolsets ?? config.platform_toolsets[surface] ?? config.toolsets,
    custom: Object.fromEntries(
      Object.entries(config.custom_toolsets).map(([name, set]) => [name, [...set.tools, ...set.includes]]),
    ),
    disabled: config.agent.disabled_toolsets,
  });
  return {
    tools: wordedTools(await Promise.all(tools.map((entry) => entry.load())), config.agent.prompt_profile),
    warnings: unknown.map((name) => `toolsets: '${name}' is not known to this build; ignored`),
  };
}
