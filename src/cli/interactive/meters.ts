/** What the status bar and the turn's own line count: times, money, what waits, the git branch. */
import type { Log } from '../../lib/log.ts';
import { workspaceAt } from '../../runtime/git-workspace.ts';
import type { Session } from '../../runtime/session.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import type { StatusFacts } from './status-bar.ts';

export interface MetersOptions {
  /** Of the session that is talked to now; undefined before there is one. */
  session(): Session | undefined;
  /** Folder of the conversation, as a path. */
  readonly cwd: string;
  /** `display.show_cost` */
  readonly showCost: boolean;
  /** `limits.session_usd`; undefined = none. */
  readonly limit: number | undefined;
  /** Has the status bar drawn again. */
  refresh(): void;
  readonly log: Log;
  /** In milliseconds. */
  now?(): number;
}

export class Meters {
  readonly #options: MetersOptions;
  #waiting = 0;
  #turnBegan: number | undefined;
  /** Since when a person is asked, and for how long one was in this turn. */
  #asksSince: number | undefined;
  #askedMs = 0;
  #lastTurnMs: number | undefined;
  #answeredAt: number | undefined;
  /** Dollars of the session, and how much of it was spent when the turn began. */
  #usd = 0;
  #usdBefore = 0;
  /** False when requests were made and no price of them is known. */
  #isPriceKnown = true;
  #branch: string | undefined;

  constructor(options: MetersOptions) {
    this.#options = options;
  }

  /** Another session is talked to. */
  begin(): void {
    this.#waiting = 0;
    this.#turnBegan = undefined;
    this.#lastTurnMs = undefined;
    this.#answeredAt = undefined;
    void this.#count().then(() => (this.#usdBefore = this.#usd));
  }

  hear(event: WorkerEvent): void {
    switch (event.type) {
      case 'queue_changed':
        this.#waiting = event.waiting.length;
        this.#options.refresh();
        return;
      case 'message_taken':
        this.#turnBegan = this.#now();
        this.#askedMs = 0;
        if (this.#asksSince !== undefined) this.#asksSince = this.#turnBegan;
        this.#usdBefore = this.#usd;
        return;
      case 'tool_finished':
        void this.#count();
        return;
      case 'turn_finished':
        this.#lastTurnMs = this.turnMs;
        this.#turnBegan = undefined;
        if ((event.result.finalResponse ?? '') !== '') this.#answeredAt = this.#now();
        return;
      default:
    }
  }

  /** A person is asked, or was: meanwhile nothing is worked on. */
  asks(waits: boolean): void {
    if (waits) this.#asksSince ??= this.#now();
    else if (this.#asksSince !== undefined) {
      this.#askedMs += this.#now() - this.#asksSince;
      this.#asksSince = undefined;
    }
  }

  /** How long the turn was worked on that runs, or else the last one; in milliseconds. */
  get turnMs(): number {
    if (this.#turnBegan === undefined) return this.#lastTurnMs ?? 0;
    return (this.#asksSince ?? this.#now()) - this.#turnBegan - this.#askedMs;
  }

  /** Dollars of the turn that was the last to begin; 0 when nothing is known. */
  async turnUsd(): Promise<number> {
    await this.#count();
    return Math.max(0, this.#usd - this.#usdBefore);
  }

  get facts(): Pick<StatusFacts, 'cost' | 'turn' | 'waiting' | 'branch' | 'compressions' | 'sinceAnswerMs'> {
    const { showCost, limit } = this.#options;
    const running = this.#turnBegan !== undefined;
    const usd = this.#isPriceKnown ? this.#usd : undefined;
    return {
      cost:
        limit !== undefined || (showCost && usd !== 0)
          ? { usd: limit === undefined ? usd : this.#usd, limit }
          : undefined,
      turn: { ms: this.turnMs, running },
      compressions: this.#options.session()?.agent.compactionCount ?? 0,
      sinceAnswerMs: running || this.#answeredAt === undefined ? undefined : this.#now() - this.#answeredAt,
      waiting: this.#waiting,
      branch: this.#branch,
    };
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  /** What cannot be counted is shown as it was. */
  async #count(): Promise<void> {
    const { cwd, log } = this.#options;
    try {
      const session = this.#options.session();
      const [spent, row, workspace] = await Promise.all([session?.spent(), session?.row(), workspaceAt(cwd)]);
      this.#usd = spent?.usd ?? 0;
      this.#isPriceKnown = this.#usd > 0 || row?.cost_status !== 'unknown';
      this.#branch = workspace.gitBranch;
      this.#options.refresh();
    } catch (error) {
      log.warning('the cost of the conversation could not be read', error);
    }
  }
}
