/** What one session does beside the conversation: a title, and a look back for memory and skills. */
import type { HistoryMessage } from '../llm/message.ts';
import type { Log } from '../lib/log.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { Reviewer } from './learning/review.ts';
import type { SessionParts } from './session-parts.ts';
import { over } from '../lib/over.ts';

export interface SessionLearningOptions {
  readonly parts: SessionParts;
  readonly side: SideModels;
  readonly sessionId: () => string;
  /** Whether the session has skills to look after. */
  readonly hasSkills: boolean;
  readonly openReviewer: () => Promise<Reviewer>;
  /** Told one line about what was done. */
  readonly tell: (line: string) => void;
  /** Told the title that a session was given. */
  readonly titled: (title: string, sessionId: string) => void;
  /** Told one line when a model that was to do it failed. */
  readonly warn: (line: string) => void;
}

/** Nobody ever waits for it: what is not done when the session ends is given up. */
export class SessionLearning {
  readonly #options: SessionLearningOptions;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #reviewer: Promise<Reviewer> | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: SessionLearningOptions) {
    this.#options = options;
    this.#log = options.parts.log.named('learning');
  }

  /** The session begins: skills that nobody uses are tidied up when it is time. Returns at once. */
  start(): void {
    const { parts, hasSkills, tell, warn } = this.#options;
    if (!hasSkills) return;
    const { home, env, cwd, store, config, log } = parts;
    this.#beside('the curator failed', async (signal) => {
      const { tickCurator } = await import('./learning/tick-curator.ts');
      const line = await tickCurator({ home, env, config, cwd, store, log, onWarning: warn }, signal);
      if (line !== undefined && !signal.aborted) tell(line);
    });
  }

  /** A turn was answered: `turn` are its messages. Returns at once. */
  turnFinished(history: readonly HistoryMessage[], turn: readonly HistoryMessage[]): void {
    if (this.#stopping.signal.aborted) return;
    const { parts, side, sessionId, openReviewer, titled } = this.#options;
    const { store } = parts;
    const { enabled, language } = parts.config.config.auxiliary.title_generation;
    if (store !== undefined && enabled) {
      const id = sessionId();
      this.#beside('no title was made', async (signal) => {
        const { titleSession } = await import('./learning/titles.ts');
        const title = await titleSession(store, id, history, { side, language }, signal);
        if (title !== undefined) titled(title, id);
      });
    }
    this.#reviewer ??= openReviewer();
    const reviewer = this.#reviewer;
    this.#beside('the look back failed', async (signal) => {
      await (await reviewer).turnFinished(history, turn, signal);
    });
  }

  /** Ends it: what is under way is stopped. Resolves as soon as it has stopped. */
  async close(): Promise<void> {
    this.#stopping.abort(over);
    await Promise.all(this.#underWay);
  }

  #beside(failure: string, work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping;
    const done = work(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#log.warning(failure, error);
    });
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
  }
}
