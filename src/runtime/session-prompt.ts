/** Gathers the facts that a session's system prompt is made of. */
import { homedir, release, type } from 'node:os';
import { builtInIdentity, readIdentity } from '../prompt/identity.ts';
import { buildSystemPrompt } from '../prompt/system-prompt.ts';
import type { ToolServices } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';

/** Builds the prompt when it is first needed. */
export function sessionPrompt(parts: SessionParts, services: ToolServices, sessionId: string): () => Promise<string> {
  return async () => {
    const { config } = parts.config;
    return buildSystemPrompt({
      identity: parts.ignoreRules ? builtInIdentity : await readIdentity(parts.home.path),
      tools: parts.tools.filter((tool) => tool.available(services)).map((tool) => tool.name),
      environment: {
        kind: services.environment.kind,
        platform: `${type()} ${release()}`,
        home: homedir(),
        cwd: services.environment.cwd,
      },
      surface: parts.surface,
      model: parts.route.model,
      provider: parts.route.provider,
      ...(parts.passSessionId ? { sessionId } : {}),
      startedAt: new Date(),
      ...(config.timezone === '' ? {} : { timeZone: config.timezone }),
    });
  };
}
