/** Middleware around the work of a tool: one inside the other, and none of them can lose, repeat or hold up the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookPayload, Surrounded } from '../agent/hooks.ts';
import { errorMessage } from '../lib/errors.ts';
import { sameJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { HookListener } from './hook-listener.ts';

export interface Surrounding {
  readonly payload: HookPayload;
  readonly work: () => Promise<string>;
  readonly log: Log;
  /** The program ends. */
  readonly closing: AbortSignal;
}

/** Rejects only with what `work` rejects with. */
export async function surround(wrappers: readonly HookListener[], how: Surrounding): Promise<Surrounded> {
  const [wrapper, ...inside] = wrappers;
  if (wrapper === undefined) return { text: await how.work() };
  return await new Wrapped(wrapper, inside, how).run();
}

/** One piece of middleware with all that is inside of it. */
class Wrapped {
  readonly #wrapper: HookListener;
  readonly #inside: readonly HookListener[];
  readonly #how: Surrounding;
  #called: Promise<Surrounded> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;

  constructor(wrapper: HookListener, inside: readonly HookListener[], how: Surrounding) {
    this.#wrapper = wrapper;
    this.#inside = inside;
    this.#how = how;
  }

  async run(): Promise<Surrounded> {
    const { by, point } = this.#wrapper;
    let given: unknown;
    try {
      given = await this.#within();
    } catch (error) {
      if (this.#failure !== undefined) throw this.#failure.error;
      this.#how.log.warning(`${by} failed on ${point}: ${errorMessage(error)}`, error);
    } finally {
      this.#isOver = true;
    }
    if (given === undefined) return await (this.#called ?? surround(this.#inside, this.#how));
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const inner = await this.#called?.catch(() => undefined);
    return inner?.text === text ? inner : { text, by };
  }

  /** What the wrapper returns; rejects when it takes longer than its deadline beside the work itself. */
  async #within(): Promise<unknown> {
    const { closing, payload } = this.#how;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing]);
    const data = { ...structuredClone(payload), next_call: (args?: unknown) => this.#next(args) };
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
    const wait = async () => await sleep(deadlineMs, undefined, { signal, ref: false }).catch(() => undefined);
    await wait();
    if (!signal.aborted && this.#called !== undefined) {
      await this.#called.catch(() => undefined);
      await wait();
    }
    // Nobody listens any more.
    if (signal.aborted) return await new Promise<never>(() => undefined);
    throw new Error(`no answer within ${deadlineMs / 1000} s`);
  }

  async #next(args: unknown): Promise<string> {
    if (this.#called !== undefined) throw new Error('next_call may be called once');
    if (this.#isOver) throw new Error('next_call comes too late: the call went on without');
    const { args: approved } = this.#how.payload;
    if (args !== undefined && !sameJson(args, approved)) {
      throw new Error('next_call runs what was approved: arguments are changed in tool_request');
    }
    this.#called = surround(this.#inside, this.#how);
    this.#called.catch((error: unknown) => {
      this.#failure = { error };
    });
    return (await this.#called).text;
  }
}
