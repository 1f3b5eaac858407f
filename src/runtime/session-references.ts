/** Attaches what a typed message refers to with `@`, as this session may read it. */
import { homedir } from 'node:os';
import type { ModelRoute } from '../llm/protocol.ts';
import type { ExpandedMessage } from '../prompt/references/expand.ts';
import type { ToolServices } from '../tools/services.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** A model that says nothing of its window is taken to have this one. */
const usualContextLength = 128_000;

/** Nothing is loaded for a message without an `@`. */
export async function expandMessage(
  message: string,
  { home }: Pick<RuntimeOptions, 'home'>,
  services: ToolServices,
  route: ModelRoute,
  signal: AbortSignal,
): Promise<ExpandedMessage> {
  if (!message.includes('@')) return { text: message, blocked: false, warnings: [], tokens: 0, foreign: false };
  const { expandReferences } = await import('../prompt/references/expand.ts');
  return await expandReferences(message, {
    environment: services.environment,
    userHome: homedir(),
    homePath: home.path,
    mayRead: services.mayRead,
    contextLength: route.contextLength ?? usualContextLength,
    redact: services.redact,
    signal,
  });
}
