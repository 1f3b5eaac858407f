/** Gives memory back to the system when a gateway comes to rest, after its start and after busy times, and when many chats wait. */
import type { Log } from '../../lib/log.ts';

/** What is measured of the process, and what is done; the defaults are the process itself. */
export interface IdleMemoryOptions {
  readonly log: Log;
  /** Processor time so far, in milliseconds. */
  readonly cpuMs?: () => number;
  /** What it has in memory, in millions of bytes. */
  readonly rssMb?: () => number;
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
 * A thousand chats that wait for their models live in 260 MB; what V8 leaves lying beside them makes it half as much again.
 * From here on it is worth the second that collecting takes then, unless everything there is to do would wait for it.
 */
const crowdedMb = 360;
const crowdedGrowth = 1.3;
const crowdedEveryMs = 60_000;
const saturatedShare = 0.8;

/**
 * V8 keeps the room that it needed while there was much to do. Some 10 MB of it are left over from the start alone. To be
 * asked every few seconds, whatever the gateway does.
 */
export class IdleMemory {
  readonly #log: Log;
  readonly #cpuMs: () => number;
  readonly #rssMb: () => number;
  readonly #now: () => number;
  readonly #collect: () => Promise<void>;
  #seen: { readonly at: number; readonly cpu: number };
  #restsSince: number;
  /** At the last collection: processor time, the moment, and what was left. */
  #collected = { cpu: 0, at: Number.NEGATIVE_INFINITY, leftMb: 0 };

  constructor(options: IdleMemoryOptions) {
    const {
      log,
      cpuMs = ownCpuMs,
      rssMb = ownRssMb,
      now = () => performance.now(),
      collect = collectGarbage,
    } = options;
    this.#log = log;
    this.#cpuMs = cpuMs;
    this.#rssMb = rssMb;
    this.#now = now;
    this.#collect = collect;
    this.#seen = { at: now(), cpu: cpuMs() };
    this.#restsSince = this.#seen.at;
  }

  /** Resolves when nothing is to be done, or it was. Never rejects. */
  async look(): Promise<void> {
    const [last, now] = [this.#seen, { at: this.#now(), cpu: this.#cpuMs() }];
    this.#seen = now;
    const share = (now.cpu - last.cpu) / (now.at - last.at);
    if (share > restShare) this.#restsSince = now.at;
    const isIdle = now.at - this.#restsSince >= restMs && now.cpu - this.#collected.cpu >= workMs;
    if (!isIdle && (share > saturatedShare || !this.#isCrowded(now.at))) return;
    try {
      await this.#collect();
    } catch (error) {
      // A Node without its inspector: the memory stays as it is.
      this.#log.info('memory could not be given back', error);
    }
    this.#seen = { at: this.#now(), cpu: this.#cpuMs() };
    this.#collected = { ...this.#seen, leftMb: this.#rssMb() };
  }

  #isCrowded(now: number): boolean {
    const { at, leftMb } = this.#collected;
    return now - at >= crowdedEveryMs && this.#rssMb() > Math.max(crowdedMb, leftMb * crowdedGrowth);
  }
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function ownRssMb(): number {
  return process.memoryUsage.rss() / 1e6;
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
