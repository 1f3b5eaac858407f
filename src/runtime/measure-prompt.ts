/** What every request of a new session carries before anybody has said a word: the prompt part by part, and the tools. */
import type { PromptPart } from '../prompt/system-prompt.ts';
import { openSessionStore } from '../sessions/open-store.ts';
import { toolCatalogue } from '../tools/catalogue.ts';
import { selectTools } from '../tools/toolsets.ts';
import { bringSkills } from './bring-skills.ts';
import { type NamedText, toolTexts } from './context-parts.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { sessionPromptParts, type PromptRequest } from './session-prompt.ts';
import { openSessionServices } from './session-services.ts';
import { wordedTools } from './tool-wording.ts';

export interface FixedCost {
  readonly parts: readonly PromptPart[];
  /** Each tool as it is sent in a request. */
  readonly tools: readonly NamedText[];
}

/** Builds both without a model, a network or credentials. */
export async function fixedCost(options: RuntimeOptions, request: PromptRequest = {}): Promise<FixedCost> {
  const { config } = options.config;
  await bringSkills(options, (line) => request.onWarning?.(line));
  const sessionId = 'not-a-session';
  const { tools: chosen } = selectTools(toolCatalogue, {
    wanted: options.toolsets ?? config.platform_toolsets[options.surface] ?? config.toolsets,
    custom: Object.fromEntries(
      Object.entries(config.custom_toolsets).map(([name, set]) => [name, [...set.tools, ...set.includes]]),
    ),
    disabled: config.agent.disabled_toolsets,
  });
  const tools = wordedTools(await Promise.all(chosen.map((entry) => entry.load())), config.agent.prompt_profile);
  // Sessions have a store; what is in it makes no difference here.
  const store = await openSessionStore({ kind: 'sqlite', path: ':memory:' }, { forWriting: true });
  const { services } = await openSessionServices(
    { ...options, tools, store },
    {
      sessionId,
      outside: () => [],
      currentSession: () => undefined,
      userId: null,
      source: options.surface,
      onWarning: request.onWarning,
    },
  );
  try {
    const route = {
      model: options.model ?? config.model.default ?? '',
      provider: options.provider ?? config.model.provider ?? '',
    };
    const parts = await sessionPromptParts({ ...options, tools, route }, services, sessionId, request);
    return { parts, tools: toolTexts(tools, services) };
  } finally {
    await services.processes.close();
    await services.environment.close();
    await store.close();
  }
}
