/** The scheduled jobs of a gateway: looked at every minute, and given their time when it ends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scheduler } from '../../automation/cron/scheduler.ts';
import type { Log } from '../../lib/log.ts';
import type { Gateway } from '../gateway.ts';
import type { TakenMedia } from '../media/take-media.ts';

export interface KeptJobsOptions {
  /** The files that a text names and that may be sent, and the text without their marks. */
  takeFiles(text: string): TakenMedia;
  /** Nothing new may begin. */
  paused(): boolean;
}

const tickMs = 60_000;

export class KeptJobs {
  readonly #gateway: Gateway;
  readonly #options: KeptJobsOptions;
  readonly #log: Log;
  readonly #homePath: string;
  readonly #stop = new AbortController();
  #scheduler: Scheduler | undefined;
  /** What earlier processes were in the middle of is told. */
  #isRecovered = false;
  #ticking: Promise<void> = Promise.resolve();

  constructor(gateway: Gateway, options: KeptJobsOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#log = gateway.program.log.named('cron');
    this.#homePath = gateway.program.options.home.path;
  }

  start(): void {
    this.#ticking = this.#keep();
  }

  /** No more jobs are begun; resolves when none runs, or when nobody waits for them any more. */
  async drain(patience: AbortSignal): Promise<void> {
    this.#stop.abort();
    await this.#ticking;
    await this.#scheduler?.settled(patience);
  }

  /** What still runs is interrupted. Safe to call twice. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ticking;
    const scheduler = this.#scheduler;
    this.#scheduler = undefined;
    await scheduler?.close();
  }

  /** What keeps jobs from running keeps nobody from being answered. Never rejects. */
  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (!this.#options.paused()) await this.#look();
      } catch (error) {
        this.#log.error('scheduled jobs could not be looked at', error);
      }
      await sleep(tickMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    // A home without jobs pays for none.
    if (!existsSync(join(this.#homePath, 'cron', 'jobs.json'))) {
      const { Heartbeat } = await import('../../automation/cron/heartbeat.ts');
      return new Heartbeat(this.#homePath, this.#log).beat();
    }
    if (this.#scheduler === undefined) {
      const [{ Scheduler: Opened }, { cronChats }] = await Promise.all([
        import('../../automation/cron/scheduler.ts'),
        import('../delivery/cron-chats.ts'),
      ]);
      const chats = cronChats(this.#gateway, (text) => this.#options.takeFiles(text));
      this.#scheduler = new Opened({ program: this.#gateway.program, chats });
    }
    // Tried again where a full disk or the like kept it from being told.
    if (!this.#isRecovered) await this.#scheduler.recover();
    this.#isRecovered = true;
    await this.#scheduler.tick();
  }
}
