/** Everything the tools of one session reach, with what reads its own past: memory, skills, earlier conversations. */
import { existsSync } from 'node:fs';
import { existingProfile, listProfiles } from '../config/home.ts';
import type { SessionCheckpoints } from '../checkpoints/session-checkpoints.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { Delegation } from '../tools/delegation/delegation.ts';
import type { JobOrigin } from '../tools/cron/job-access.ts';
import type { AskedQuestions, Knowledge, ToolServices } from '../tools/services.ts';
import { askedQuestions } from './asked-questions.ts';
import { openMemoryStore } from './open-memory.ts';
import { openCheckpoints } from './session-checkpoints.ts';
import { openSkills } from './open-skills.ts';
import { InlineCommands } from './run-inline.ts';
import { type SessionDiagnostics, sessionDiagnostics } from './session-diagnostics.ts';
import type { SessionParts } from './session-parts.ts';
import { SessionVerification, verifiesOnStop } from './session-verification.ts';
import { sessionBoard } from './session-board.ts';
import { sessionJobs } from './session-jobs.ts';
import { createToolServices, type OpenedServices } from './tool-services.ts';
import { type WorkerWatch, workerWatch } from './worker-watch.ts';

export interface SessionServices {
  readonly services: OpenedServices;
  /** Wants to be told who decides about them. */
  readonly inline: InlineCommands;
  readonly memory: MemoryStore | undefined;
  readonly skills: SkillLibrary | undefined;
  readonly checkpoints: SessionCheckpoints | undefined;
  readonly diagnostics: SessionDiagnostics | undefined;
  /** Absent where files are on another machine. */
  readonly verification: SessionVerification | undefined;
  /** Absent where nobody works on a task of a board; it watches with the verification. */
  readonly watch: WorkerWatch | undefined;
  /** For work beside the conversation, which nobody asked for: what it writes is the agent's own. */
  background(): Promise<ToolServices>;
}

export interface SessionServicesOptions {
  readonly sessionId: string;
  /** Absent where nothing may be delegated. */
  readonly delegation?: Delegation;
  /** Asked for, beside what the configuration says. */
  readonly checkpoints?: boolean;
  /** The session that is written to now. */
  readonly currentSession: () => string | undefined;
  /** Whose conversations can be recalled; null: nobody's in particular. */
  readonly userId: string | null;
  readonly source: string;
  /** The chat that its jobs belong to. */
  readonly jobOrigin?: JobOrigin | undefined;
  /** The surface can put a question in words to a person. */
  readonly clarifies: boolean;
  /** Told one line for each thing that could not be used or reads like an attack. */
  readonly warn: (line: string) => void;
}

type Parts = Pick<
  SessionParts,
  | 'home'
  | 'config'
  | 'env'
  | 'surface'
  | 'longLived'
  | 'tools'
  | 'prompt'
  | 'store'
  | 'cwd'
  | 'log'
  | 'fileWrites'
  | 'browsers'
  | 'findings'
  | 'scanner'
> &
  Partial<Pick<SessionParts, 'models' | 'hooks'>>;

/** Loads only what a tool of the session uses. */
export async function openSessionServices(parts: Parts, options: SessionServicesOptions): Promise<SessionServices> {
  const basic = createToolServices(parts, options.sessionId);
  basic.state.unconfined.tell = options.warn;
  const inline = new InlineCommands(basic, () => options.currentSession() ?? options.sessionId);
  const { run: runInline } = inline;
  const [skills, memory, history, checkpoints] = await Promise.all([
    openSkills({ parts, services: basic, runInline, onWarning: options.warn }),
    openMemoryStore(parts),
    openHistory(parts, options),
    openCheckpoints(parts, options.checkpoints === true),
  ]);
  const diagnostics = sessionDiagnostics(parts);
  const jobs = sessionJobs(parts, { userId: options.userId, origin: options.jobOrigin });
  const board = sessionBoard(parts, options.currentSession);
  const services: OpenedServices = {
    ...basic,
    state: { ...basic.state, ...(options.delegation === undefined ? {} : { delegation: options.delegation }) },
    edits: {
      ...(checkpoints === undefined ? {} : { checkpoints }),
      ...(diagnostics === undefined ? {} : { diagnostics }),
    },
    knowledge: {
      ...(skills === undefined ? {} : { skills }),
      ...(memory === undefined ? {} : { memory: { store: memory, origin: 'foreground' } }),
      ...(options.clarifies ? { questions: openQuestions(parts, options, basic.redact) } : {}),
      ...(jobs === undefined ? {} : { jobs }),
      ...(board === undefined ? {} : { board }),
      ...(history === undefined ? {} : { history, ...otherHistories(parts, options) }),
    },
  };
  const verification = openVerification(parts, services, options);
  return {
    services,
    inline,
    memory,
    skills,
    checkpoints,
    diagnostics,
    verification,
    watch: workerWatch(parts, board, verification),
    async background() {
      const own = await openSkills({ parts, services: basic, runInline, origin: 'background_review' });
      return {
        ...services,
        knowledge: {
          ...services.knowledge,
          ...(own === undefined ? {} : { skills: own }),
          ...(memory === undefined ? {} : { memory: { store: memory, origin: 'auto' } }),
        },
      };
    },
  };
}

function openQuestions(
  { store, surface }: Parts,
  { userId }: SessionServicesOptions,
  redact: ToolServices['redact'],
): AskedQuestions {
  return askedQuestions({ records: store?.approvals, surface, person: userId, redact });
}

function openVerification(
  { config: { config }, home, surface, log }: Parts,
  { environment, paths }: ToolServices,
  { sessionId, currentSession }: SessionServicesOptions,
): SessionVerification | undefined {
  if (environment.kind !== 'local') return undefined;
  return new SessionVerification({
    homePath: home.path,
    userHome: paths.userHome,
    sessionId: () => currentSession() ?? sessionId,
    asks: verifiesOnStop(config, surface),
    guidance: config.agent.verify_guidance,
    log: log.named('verification'),
  });
}

async function openHistory(
  { store, tools }: Parts,
  { userId, source, currentSession }: SessionServicesOptions,
): Promise<Knowledge['history']> {
  if (store === undefined || !tools.some(({ toolset }) => toolset === 'session_search')) return undefined;
  const { createSessionHistory } = await import('../tools/session-search/session-history.ts');
  return createSessionHistory(store, { userId, source, currentSession });
}

/** At a terminal all profiles are one person's; a chat has no business in other homes. */
function otherHistories(
  { home }: Parts,
  { userId, source }: SessionServicesOptions,
): Pick<Knowledge, 'historyOf' | 'profiles'> {
  if (userId !== null) return {};
  return {
    profiles: () =>
      listProfiles(home.root)
        .map(({ profile }) => profile)
        .filter((profile) => profile !== home.profile),
    async historyOf(profile, use) {
      const path = existingProfile(home.root, profile);
      if (path === undefined) return undefined;
      const { openSessionStore, storeOf } = await import('../sessions/open-store.ts');
      if (!existsSync(storeOf(path).path)) return undefined;
      const { createSessionHistory } = await import('../tools/session-search/session-history.ts');
      const store = await openSessionStore(storeOf(path), { forReading: 'always' });
      try {
        return await use(createSessionHistory(store, { userId, source, currentSession: () => undefined }));
      } finally {
        await store.close();
      }
    },
  };
}
