/** The memory of one session, and when a write of it needs a person. */
import type { MemoryStore } from '../memory/memory-store.ts';
import type { MemoryOrigin } from '../memory/pending.ts';
import type { MemoryService, WriteApproval } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';

/** Undefined when no tool of the session writes memory and none is shown, or the owner wants no rules of his own. */
export async function openMemoryStore(
  parts: Pick<SessionParts, 'home' | 'config' | 'tools' | 'ignoreRules'>,
): Promise<MemoryStore | undefined> {
  const { memory } = parts.config.config;
  const used = memory.memory_enabled || memory.user_profile_enabled;
  if (parts.ignoreRules || !used || !parts.tools.some(({ name }) => name === 'memory')) return undefined;
  const { createMemoryStore } = await import('../memory/memory-store.ts');
  return createMemoryStore({
    homePath: parts.home.path,
    limits: { memory: memory.memory_char_limit, user: memory.user_char_limit },
    enabled: { memory: memory.memory_enabled, user: memory.user_profile_enabled },
  });
}

/**
 * Writes go through at once, unless the owner wants to approve them, or text from outside has entered the conversation:
 * `outside` names where it came from.
 */
export function foregroundMemory(
  store: MemoryStore,
  { config }: Pick<SessionParts, 'config'>,
  outside: () => readonly string[],
): MemoryService {
  return {
    store,
    origin: 'foreground',
    approval() {
      if (config.config.memory.write_approval) return { kind: 'ask', reason: 'a memory write' };
      return afterOutside('a memory write', outside);
    },
  };
}

/** A write is free until text from outside has entered the conversation. `what` is the write in words. */
export function afterOutside(what: string, outside: () => readonly string[]): WriteApproval {
  const sources = outside();
  if (sources.length === 0) return 'none';
  return { kind: 'ask', reason: `${what}, after text from outside entered (${sources.join(', ')})` };
}

/** For work beside the conversation, where nobody can be asked. */
export function backgroundMemory(
  store: MemoryStore,
  { config }: Pick<SessionParts, 'config'>,
  { staged }: { readonly staged: boolean },
): MemoryService {
  const origin: MemoryOrigin = 'auto';
  const waits = staged || config.config.memory.write_approval;
  return {
    store,
    origin,
    approval: () => (waits ? { kind: 'stage', reason: 'a memory write nobody asked for' } : 'none'),
  };
}
