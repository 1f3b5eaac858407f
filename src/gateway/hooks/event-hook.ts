/** One event hook: which events it wants, and calls of its handler that can neither hold anything up nor break it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../lib/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { HookFolder } from './hook-folders.ts';
import { HandlerError, type HookCall, type HookRunner } from './hook-runner.ts';

/** A handler that takes longer over one event is ended, and started again for the next one. */
const longestMs = 30_000;
/** More is not kept for a handler that does not keep up. */
const maxWaiting = 500;
const mostFailures = 5;

export class EventHook {
  readonly name: string;
  readonly #events: ReadonlySet<string>;
  readonly #start: () => Promise<HookRunner>;
  readonly #log: Log;
  #runner: HookRunner | undefined;
  #starting: Promise<HookRunner> | undefined;
  /** The last call of each lane; the next one comes behind it. */
  readonly #lanes = new Map<string, Promise<unknown>>();
  #waiting = 0;
  #overflowing = false;
  /** Processes that ended or hung, one behind the other. */
  #failures = 0;
  #closed = false;

  constructor({ name, events }: HookFolder, start: () => Promise<HookRunner>, log: Log) {
    this.name = name;
    this.#events = new Set(events);
    this.#start = start;
    this.#log = log;
  }

  /** Rejects when the handler cannot be used. */
  async load(): Promise<void> {
    await this.#running();
  }

  /** `exactly`: it names the event itself; `broadly`: all of its kind, such as `command:*`. */
  wants(event: string): 'exactly' | 'broadly' | undefined {
    if (this.#events.has(event)) return 'exactly';
    const [base] = event.split(':');
    return this.#events.has(`${base}:*`) ? 'broadly' : undefined;
  }

  /** Calls with one lane are made one behind the other. Returns at once. */
  tell(call: HookCall, lane: string): void {
    if (this.#waiting >= maxWaiting) {
      if (!this.#overflowing) this.#log.warning(`[hooks] ${this.name} is too slow: events are left out`);
      this.#overflowing = true;
      return;
    }
    this.#waiting += 1;
    const done = Promise.resolve(this.#lanes.get(lane))
      .then(() => this.#call(call))
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#overflowing = false;
        if (this.#lanes.get(lane) === done) this.#lanes.delete(lane);
      });
    this.#lanes.set(lane, done);
  }

  /** What the handler returns; undefined when it fails, or has not answered after `ms`, which is logged. */
  async ask(call: HookCall, ms: number): Promise<JsonValue | undefined> {
    const late = new AbortController();
    const waited = sleep(ms, 'late' as const, { signal: late.signal, ref: false }).catch(() => undefined);
    const answer = await Promise.race([this.#call(call), waited]);
    late.abort();
    if (answer !== 'late') return answer;
    this.#log.warning(`[hooks] ${this.name} took too long over ${call.event}: it goes on without an answer`);
    return undefined;
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#lanes.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    const runner = this.#runner ?? (await this.#starting?.catch(() => undefined));
    await runner?.close();
  }

  async #call(call: HookCall): Promise<JsonValue | undefined> {
    if (this.#closed || this.#failures >= mostFailures) return undefined;
    let runner: HookRunner | undefined;
    try {
      runner = await this.#running();
      const answer = await runner.call(call, AbortSignal.timeout(longestMs));
      this.#failures = 0;
      return answer;
    } catch (error) {
      if (!this.#closed) await this.#failed(call, error, runner);
      return undefined;
    }
  }

  async #failed({ event }: HookCall, error: unknown, runner: HookRunner | undefined): Promise<void> {
    const hung = error instanceof Error && error.name === 'TimeoutError';
    const why = hung ? `no answer within ${longestMs / 1000} s` : errorMessage(error);
    this.#log.warning(`[hooks] ${this.name} failed on ${event}: ${why}`);
    // What the handler throws is its own affair; and a process that has ended counts once, however many waited for it.
    if (error instanceof HandlerError || this.#runner !== runner) return;
    this.#runner = undefined;
    this.#failures += 1;
    if (this.#failures === mostFailures) {
      this.#log.error(`[hooks] ${this.name} has failed ${mostFailures} times in a row and is off until the next start`);
    }
    await runner?.close();
  }

  /** A handler whose process has ended is started again. */
  async #running(): Promise<HookRunner> {
    if (this.#runner?.ended === false) return this.#runner;
    this.#runner = undefined;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    this.#runner = await this.#starting;
    return this.#runner;
  }
}
