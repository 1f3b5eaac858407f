/** Everything the tools of one session reach, with what reads its own past: memory, skills, earlier conversations. */
import type { MemoryStore } from '../memory/memory-store.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { ToolServices } from '../tools/services.ts';
import { afterOutside, backgroundMemory, foregroundMemory, openMemoryStore } from './open-memory.ts';
import { openSkills } from './open-skills.ts';
import type { SessionParts } from './session-parts.ts';
import { createToolServices } from './tool-services.ts';

export interface SessionServices {
  readonly services: ToolServices;
  readonly memory: MemoryStore | undefined;
  readonly skills: SkillLibrary | undefined;
  /** For work beside the conversation, which nobody asked for; `staged` writes wait for the user. */
  background(writes: { readonly staged: boolean }): Promise<ToolServices>;
}

export interface SessionServicesOptions {
  readonly sessionId: string;
  /** Where text from outside came from so far. */
  readonly outside: () => readonly string[];
  /** The session that is written to now. */
  readonly currentSession: () => string | undefined;
  /** Whose conversations can be recalled; null: nobody's in particular. */
  readonly userId: string | null;
  readonly source: string;
  /** Told one line for each thing that could not be used or reads like an attack. */
  readonly onWarning?: ((line: string) => void) | undefined;
}

type Parts = Pick<SessionParts, 'home' | 'config' | 'env' | 'surface' | 'tools' | 'ignoreRules' | 'store' | 'cwd'> &
  Parameters<typeof createToolServices>[0];

/** Loads only what a tool of the session uses. */
export async function openSessionServices(parts: Parts, options: SessionServicesOptions): Promise<SessionServices> {
  const basic = createToolServices(parts, options.sessionId);
  const [skills, memory, history] = await Promise.all([
    openSkills({ parts, services: basic, onWarning: options.onWarning }),
    openMemoryStore(parts),
    openHistory(parts, options),
  ]);
  const services: ToolServices = {
    ...basic,
    ...(skills === undefined
      ? {}
      : { skills, skillApproval: () => afterOutside('a change of a skill', options.outside) }),
    ...(memory === undefined ? {} : { memory: foregroundMemory(memory, parts, options.outside) }),
    ...(history === undefined ? {} : { history }),
  };
  return {
    services,
    memory,
    skills,
    async background(writes) {
      const own = await openSkills({ parts, services: basic, origin: 'background_review', ...writes });
      return {
        ...services,
        // Whoever wants them looked at has them staged.
        skillApproval: () => 'none',
        ...(own === undefined ? {} : { skills: own }),
        ...(memory === undefined ? {} : { memory: backgroundMemory(memory, parts, writes) }),
      };
    },
  };
}

async function openHistory({ store, tools }: Parts, options: SessionServicesOptions): Promise<ToolServices['history']> {
  if (store === undefined || !tools.some(({ name }) => name === 'session_search')) return undefined;
  const { createSessionHistory } = await import('../tools/session-search/session-history.ts');
  const { userId, source, currentSession } = options;
  return createSessionHistory(store, { userId, source, currentSession });
}
