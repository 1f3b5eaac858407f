/** What every request of a new session carries before anybody has said a word: the prompt part by part, and the tools. */
import { noLog } from '../lib/log.ts';
import type { PromptPart } from '../prompt/system-prompt.ts';
import { openSessionStore } from '../sessions/open-store.ts';
import { bringSkills } from './bring-skills.ts';
import { chooseTools } from './choose-tools.ts';
import { toolTexts } from './context-parts.ts';
import type { ProgramOptions } from './program-options.ts';
import { type PromptRequest, sessionPromptParts } from './session-prompt.ts';
import { openSessionServices } from './session-services.ts';
import type { NamedText } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

export interface FixedCost {
  readonly parts: readonly PromptPart[];
  /** Each tool as it is sent in a request. */
  readonly tools: readonly NamedText[];
}

/** Builds both without a model, a network or credentials. */
export async function fixedCost(
  options: ProgramOptions,
  spec: Pick<SessionSpec, 'surface' | 'toolsets' | 'prompt' | 'route'>,
  request: PromptRequest = {},
): Promise<FixedCost> {
  const { config } = options.config;
  const warn = (line: string): void => request.onWarning?.(line);
  await bringSkills(options, warn);
  const sessionId = 'not-a-session';
  const { tools } = await chooseTools(config, spec);
  // Sessions have a store; what is in it makes no difference here.
  const store = await openSessionStore({ kind: 'sqlite', path: ':memory:' }, { forWriting: true });
  const parts = { ...options, log: noLog, surface: spec.surface, prompt: spec.prompt ?? {}, tools, store };
  const { services } = await openSessionServices(parts, {
    sessionId,
    currentSession: () => undefined,
    userId: null,
    source: spec.surface,
    // As where somebody sits in front of it.
    clarifies: true,
    warn,
  });
  try {
    const route = {
      model: spec.route?.model ?? config.model.default ?? '',
      provider: spec.route?.provider ?? config.model.provider ?? '',
    };
    const prompt = await sessionPromptParts({ ...parts, route }, services, sessionId, request);
    return { parts: prompt, tools: toolTexts(tools, services) };
  } finally {
    await services.processes.close();
    await services.environment.close();
    await store.close();
  }
}
