/** Middleware around the work of a tool or a request to a model: one inside the other, and none of them can lose, repeat or hold up the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookPayload, Surrounded, SurroundedWork } from '../agent/hooks.ts';
import { errorMessage } from '../lib/errors.ts';
import { sameJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { HookListener } from './hook-listener.ts';

export interface Surrounding<T> {
  readonly payload: HookPayload;
  readonly work: SurroundedWork<T>;
  readonly log: Log;
  /** The program ends. */
  readonly closing: AbortSignal;
}

/** Rejects only with what `work` rejects with, or when it is abandoned. */
export async function surround<T>(wrappers: readonly HookListener[], how: Surrounding<T>): Promise<Surrounded<T>> {
  const [wrapper, ...inside] = wrappers;
  if (wrapper === undefined) return { result: await how.work.run() };
  return await new Wrapped<T>(wrapper, inside, how).run();
}

/** One piece of middleware with all that is inside of it. */
class Wrapped<T> {
  readonly #wrapper: HookListener;
  readonly #inside: readonly HookListener[];
  readonly #how: Surrounding<T>;
  #called: Promise<Surrounded<T>> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;

  constructor(wrapper: HookListener, inside: readonly HookListener[], how: Surrounding<T>) {
    this.#wrapper = wrapper;
    this.#inside = inside;
    this.#how = how;
  }

  async run(): Promise<Surrounded<T>> {
    const { by, point } = this.#wrapper;
    const { work, log } = this.#how;
    try {
      const given = await this.#within();
      if (given !== undefined && given !== null) {
        const inner = await this.#called?.catch(() => undefined);
        const result = work.read(given, inner?.result);
        return inner?.result === result ? inner : { result, by };
      }
    } catch (error) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (!work.abandoned.aborted) log.warning(`${by} failed on ${point}: ${errorMessage(error)}`, error);
    } finally {
      this.#isOver = true;
    }
    if (this.#called === undefined) work.abandoned.throwIfAborted();
    return await (this.#called ?? surround(this.#inside, this.#how));
  }

  /** What the wrapper returns; rejects when it takes longer than its deadline beside the work itself. */
  async #within(): Promise<unknown> {
    const { closing, payload, work } = this.#how;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing, work.abandoned]);
    const data = { ...structuredClone(payload), next_call: (given?: unknown) => this.#next(given) };
    const answer = Promise.resolve().then(() => this.#wrapper.listen(data, signal));
    try {
      return await Promise.race([answer, this.#late(signal)]);
    } finally {
      stop.abort();
    }
  }

  /** Rejects after a deadline without the work, and after a second one behind it; never resolves. */
  async #late(signal: AbortSignal): Promise<never> {
    const { deadlineMs } = this.#wrapper;
    const wait = async () => await sleep(deadlineMs, undefined, { signal }).catch(() => undefined);
    await wait();
    if (!signal.aborted && this.#called !== undefined) {
      await this.#called.catch(() => undefined);
      await wait();
    }
    // Nobody listens any more.
    if (signal.aborted) return await new Promise<never>(() => undefined);
    throw new Error(`no answer within ${deadlineMs / 1000} s`);
  }

  async #next(given: unknown): Promise<unknown> {
    if (this.#called !== undefined) throw new Error('next_call may be called once');
    if (this.#isOver) throw new Error('next_call comes too late: the call went on without');
    if (this.#how.work.abandoned.aborted) throw new Error('next_call comes too late: nobody waits for it any more');
    const { args, request = args } = this.#how.payload;
    if (given !== undefined && !sameJson(given, request)) {
      throw new Error('next_call does what was approved: changes are made in tool_request and llm_request');
    }
    this.#called = surround(this.#inside, this.#how);
    this.#called.catch((error: unknown) => {
      this.#failure = { error };
    });
    return this.#how.work.show((await this.#called).result);
  }
}
