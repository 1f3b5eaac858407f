/** The memory of one session. When a write of it needs a person is the policy's business. */
import type { MemoryStore } from '../memory/memory-store.ts';
import type { SessionParts } from './session-parts.ts';

/** Undefined when no tool of the session writes memory and none is shown, or the owner wants no rules of his own. */
export async function openMemoryStore(
  parts: Pick<SessionParts, 'home' | 'config' | 'tools' | 'prompt'>,
): Promise<MemoryStore | undefined> {
  const { memory } = parts.config.config;
  const used = memory.memory_enabled || memory.user_profile_enabled;
  const written = parts.tools.some(({ traits }) => traits.learns === 'memory');
  if (parts.prompt.ignoreRules === true || !used || !written) return undefined;
  const { createMemoryStore } = await import('../memory/memory-store.ts');
  return createMemoryStore({
    homePath: parts.home.path,
    limits: { memory: memory.memory_char_limit, user: memory.user_char_limit },
    enabled: { memory: memory.memory_enabled, user: memory.user_profile_enabled },
  });
}
