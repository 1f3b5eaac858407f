/** Gives memory back to the system when a gateway comes to rest: after its start, and after busy times. */
import type { Log } from '../../lib/log.ts';

/** What is measured of the process, and what is done; the defaults are the process itself. */
export interface IdleMemoryOptions {
  readonly log: Log;
  /** Processor time so far, in milliseconds. */
  readonly cpuMs?: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  readonly collect?: () => Promise<void>;
}

/** Of a processor, at rest. */
const restShare = 0.02;
/** It has rested for so long. Collecting holds up the process for some 50 ms, and longer where many chats are open. */
const restMs = 15_000;
/** Whoever has done less has left nothing behind that is worth it. */
const workMs = 300;

/**
 * V8 keeps the room that it needed while there was much to do. Some 10 MB of it are left over from the start alone. To be
 * asked every few seconds, whatever the gateway does.
 */
export class IdleMemory {
  readonly #log: Log;
  readonly #cpuMs: () => number;
  readonly #now: () => number;
  readonly #collect: () => Promise<void>;
  #seen: { readonly at: number; readonly cpu: number };
  #restsSince: number;
  /** Processor time at the last collection. */
  #collectedAt = 0;

  constructor({ log, cpuMs = ownCpuMs, now = () => performance.now(), collect = collectGarbage }: IdleMemoryOptions) {
    this.#log = log;
    this.#cpuMs = cpuMs;
    this.#now = now;
    this.#collect = collect;
    this.#seen = { at: now(), cpu: cpuMs() };
    this.#restsSince = this.#seen.at;
  }

  /** Resolves when nothing is to be done, or it was. Never rejects. */
  async look(): Promise<void> {
    const [last, now] = [this.#seen, { at: this.#now(), cpu: this.#cpuMs() }];
    this.#seen = now;
    if (now.cpu - last.cpu > (now.at - last.at) * restShare) this.#restsSince = now.at;
    if (now.at - this.#restsSince < restMs || now.cpu - this.#collectedAt < workMs) return;
    try {
      await this.#collect();
    } catch (error) {
      // A Node without its inspector: the memory stays as it is.
      this.#log.info('memory could not be given back', error);
    }
    this.#collectedAt = this.#cpuMs();
    this.#seen = { at: this.#now(), cpu: this.#collectedAt };
  }
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The one documented way to make V8 give back what it does not need: https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/ */
async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
