/** Everybody who listens to a program: plug-ins in the order of their names, then the shell hooks of the configuration. */
import {
  type ExecutionMiddleware,
  type HookAnswer,
  type HookPayload,
  type HookPoint,
  type Hooks,
  type RequestMiddleware,
  requestMiddleware,
  type Surrounded,
  type SurroundedWork,
} from '../agent/hooks.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { HookListener } from './hook-listener.ts';
import { withDeadline } from './deadline.ts';
import { surround } from './surround.ts';

const schemaVersion = 'hermes.observer.v1';
const middlewareVersion = 'hermes.middleware.v1';
/** What listeners that are still at it get when the program ends. */
const lastWordsMs = 3000;
/** Answers that nobody waited for; more is not told. */
const maxPending = 500;

export class HookRegistry implements Hooks {
  readonly #log: Log;
  readonly #listeners = new Map<HookListener['point'], readonly HookListener[]>();
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  add(listener: HookListener): void {
    this.#listeners.set(listener.point, [...(this.#listeners.get(listener.point) ?? []), listener]);
  }

  remove(gone: ReadonlySet<HookListener>): void {
    for (const [point, all] of this.#listeners) {
      this.#listeners.set(
        point,
        all.filter((listener) => !gone.has(listener)),
      );
    }
  }

  has(point: HookListener['point']): boolean {
    return (this.#listeners.get(point) ?? []).length > 0;
  }

  async call(
    point: HookPoint | RequestMiddleware,
    payload: () => HookPayload,
    signal?: AbortSignal,
  ): Promise<readonly HookAnswer[]> {
    const listeners = this.#listeners.get(point) ?? [];
    if (listeners.length === 0 || this.#closing.signal.aborted || this.#pending.size >= maxPending) return [];
    const answers: HookAnswer[] = [];
    const work = this.#tell(listeners, payload, answers).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
    await (signal === undefined ? work : Promise.race([work, abortOf(signal)]));
    return [...answers];
  }

  async around<T>(kind: ExecutionMiddleware, work: SurroundedWork<T>): Promise<Surrounded<T>> {
    const wrappers = this.#listeners.get(kind) ?? [];
    if (wrappers.length === 0 || this.#closing.signal.aborted) return { result: await work.run() };
    const told = {
      telemetry_schema_version: schemaVersion,
      middleware_schema_version: middlewareVersion,
      ...work.payload(),
    };
    return await surround(wrappers, { payload: told, work, log: this.#log, closing: this.#closing.signal });
  }

  /** What is still under way is given a moment. */
  async close(): Promise<void> {
    if (this.#pending.size > 0) {
      await withDeadline(lastWordsMs, () => Promise.all(this.#pending)).catch(() => undefined);
    }
    this.#closing.abort();
    await Promise.all(this.#pending);
  }

  /** Never rejects. */
  async #tell(listeners: readonly HookListener[], payload: () => HookPayload, answers: HookAnswer[]): Promise<void> {
    let told: HookPayload;
    try {
      const isMiddleware = requestMiddleware.some((kind) => kind === listeners[0]?.point);
      const versions = isMiddleware ? { middleware_schema_version: middlewareVersion } : {};
      told = { telemetry_schema_version: schemaVersion, ...versions, ...payload() };
    } catch (error) {
      this.#log.error('what hooks are told could not be put together', error);
      return;
    }
    for (const listener of listeners) {
      try {
        // Each gets a copy: what one changes in it must not reach the next, nor the conversation.
        const copy = structuredClone(told);
        const { deadlineMs } = listener;
        const { signal } = this.#closing;
        const value = await withDeadline(deadlineMs, (ended) => listener.listen(copy, ended), { signal });
        if (value !== undefined && value !== null) answers.push({ by: listener.by, value });
      } catch (error) {
        this.#log.warning(`${listener.by} failed on ${listener.point}: ${errorMessage(error)}`, error);
      }
    }
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
