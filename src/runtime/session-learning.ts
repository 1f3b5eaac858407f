/** What one session does beside the conversation: a title, a look back for memory and skills, notes before messages go. */
import type { Policy } from '../agent/policy.ts';
import type { Tool } from '../agent/tool.ts';
import { createToolbox } from '../agent/toolbox.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { ToolServices } from '../tools/services.ts';
import type { Reviewer } from './learning/review.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionServices } from './session-services.ts';

export interface SessionLearningOptions {
  readonly parts: SessionParts;
  readonly side: SideModels;
  readonly opened: SessionServices;
  readonly policy: Policy;
  readonly sessionId: () => string;
  readonly systemPrompt: () => Promise<string>;
  /** Told one line about what was done. */
  readonly tell: (line: string) => void;
  /** Told one line when a model that was to do it failed. */
  readonly warn: (line: string) => void;
}

export interface SessionLearning {
  /** The session begins: skills that nobody uses are tidied up when it is time. Returns at once. */
  start(): void;
  /** A turn was answered: `turn` are its messages. Returns at once. */
  turnFinished(history: readonly HistoryMessage[], turn: readonly HistoryMessage[]): void;
  /** Saves what matters from messages that are about to go. Never rejects. */
  flush(history: readonly HistoryMessage[], signal: AbortSignal): Promise<void>;
  /** Ends it: notes are taken once more when the conversation was long enough, within the deadline. */
  close(history: readonly HistoryMessage[]): Promise<void>;
}

/** The user is leaving: what takes longer is not waited for. */
const farewellMs = 10_000;

export function createSessionLearning(options: SessionLearningOptions): SessionLearning {
  const { parts, side, opened, sessionId } = options;
  const { config } = parts.config;
  const tools: readonly Tool<ToolServices>[] = parts.tools;
  const stopping = new AbortController();
  let background: ToolServices | undefined;
  let reviewer: Promise<Reviewer> | undefined;
  let titling: Promise<unknown> = Promise.resolve();
  let turns = 0;

  async function openReviewer(): Promise<Reviewer> {
    const { createReviewer } = await import('./learning/review.ts');
    const [free, staged] = [await opened.background({ staged: false }), await opened.background({ staged: true })];
    const settings = config.auxiliary.background_review;
    return createReviewer<ToolServices>({
      side,
      tools: tools.filter((tool) => tool.available(free)),
      services: (writes) => (writes.staged ? staged : free),
      policy: options.policy,
      intervals: { memory: config.memory.nudge_interval, skills: config.skills.creation_nudge_interval },
      sessionId,
      systemPrompt: options.systemPrompt,
      sameModel: settings.provider === 'auto' && settings.model === '' && settings.base_url === '',
      offered: () => createToolbox(tools, opened.services).schemas,
      notice: config.display.memory_notifications,
      tell: options.tell,
    });
  }

  async function flush(history: readonly HistoryMessage[], signal: AbortSignal): Promise<void> {
    if (opened.memory === undefined) return;
    const { flushMemories } = await import('./learning/flush.ts');
    background ??= await opened.background({ staged: false });
    const staged = await opened.background({ staged: true });
    await flushMemories<ToolServices>(
      {
        side,
        tools,
        services: (writes) => (writes.staged || background === undefined ? staged : background),
        policy: options.policy,
        sessionId,
        systemPrompt: options.systemPrompt,
      },
      history,
      signal,
    );
  }

  return {
    start() {
      const { home, env, cwd, store } = parts;
      if (opened.skills === undefined) return;
      void import('./learning/tick-curator.ts')
        .then(({ tickCurator }) =>
          tickCurator({ home, env, config: parts.config, cwd, store, onWarning: options.warn }, stopping.signal),
        )
        .then((line) => (line === undefined || stopping.signal.aborted ? undefined : options.tell(line)));
    },
    turnFinished(history, turn) {
      turns += 1;
      const { store } = parts;
      if (store !== undefined) {
        const { language } = config.auxiliary.title_generation;
        const id = sessionId();
        titling = import('./learning/titles.ts').then(({ titleSession }) =>
          titleSession(store, id, history, { side, language }, stopping.signal),
        );
      }
      reviewer ??= openReviewer();
      void reviewer.then((opened) => opened.turnFinished(history, turn)).catch(() => undefined);
    },
    flush,
    async close(history) {
      const { isFlushDueAtEnd } = await import('./learning/flush.ts');
      if (isFlushDueAtEnd(turns, history, config.memory.flush_min_turns))
        await flush(history, AbortSignal.timeout(farewellMs));
      await (await reviewer)?.close();
      stopping.abort();
      await titling;
    },
  };
}
