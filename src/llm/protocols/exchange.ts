/** One HTTP request to a model with its time limits: sent over `fetch`, read in chunks, never longer than allowed. */
import type { Timeouts } from '../endpoint.ts';
import { ModelError } from '../model-error.ts';
import { keepHttpParserSimple } from './http-parser-memory.ts';
import { connectionFailure, failure, type RequestContext } from './model-failure.ts';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** An answer larger than this is no answer. */
const maxAnswerBytes = 64 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;
/** How long a finished answer may take to close, so that the connection can be used again. */
const drainMs = 1000;
/** How long a connection is kept for the next request: most tools finish in that time. */
const idleMs = 30_000;

export interface ExchangeOptions {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly streamed: boolean;
  readonly timeouts: Timeouts;
  readonly context: RequestContext;
  readonly dispatcher: Dispatcher | undefined;
}

/** Sends the request and waits for the head of the response. Throws `ModelError` only. */
export async function openExchange(options: ExchangeOptions, signal: AbortSignal): Promise<Exchange> {
  const watch = new Watch(options, signal);
  const parserIsMade = keepHttpParserSimple();
  try {
    const response = await fetch(options.url, {
      method: 'POST',
      headers: options.headers,
      body: options.body,
      redirect: 'manual',
      signal: watch.signal,
      ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
    });
    return new Exchange(response, watch);
  } catch (error) {
    watch.end();
    throw watch.explain(error);
  } finally {
    parserIsMade();
  }
}

export class Exchange {
  readonly response: Response;
  readonly #watch: Watch;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #bytes = 0;
  #finished = false;

  constructor(response: Response, watch: Watch) {
    this.response = response;
    this.#watch = watch;
  }

  /** The next piece of the body; undefined at its end. Throws `ModelError` only. */
  async read(): Promise<Uint8Array | undefined> {
    this.#reader ??= this.response.body?.getReader();
    if (this.#reader === undefined) return undefined;
    try {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#watch.heard();
      this.#bytes += value.byteLength;
      if (this.#bytes <= maxAnswerBytes) return value;
    } catch (error) {
      throw this.#watch.explain(error);
    }
    throw this.#watch.failure('malformed', `the answer is longer than ${maxAnswerBytes / 1024 / 1024} MB`);
  }

  /** Throws when the caller has given up. */
  throwIfAborted(): void {
    this.#watch.throwIfAborted();
  }

  /** The body of an error, cut to a bound. A body that breaks off is what came so far. */
  async errorText(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read()) {
        text += decoder.decode(chunk, { stream: true });
        if (this.#bytes > maxErrorBytes) break;
      }
    } catch (error) {
      if (error instanceof ModelError && error.kind === 'aborted') throw error;
    }
    return text;
  }

  /** A part of the answer came, not just a sign of life. */
  progressed(): void {
    this.#watch.progressed();
  }

  /** Everything that matters has come: from now on only a short silence is waited out. */
  almostDone(silenceMs: number): void {
    this.#watch.tighten(silenceMs);
  }

  /** Ends a request whose answer is complete; the connection is kept when the rest of the body is only its end. */
  finish(): void {
    this.#finished = true;
    this.#watch.end();
    void this.#drain();
  }

  /** Ends a request that is not wanted any more, together with its connection. Does nothing after `finish`. */
  cancel(): void {
    if (this.#finished) return;
    this.#watch.end();
    this.#watch.cancel();
  }

  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#watch.cancel(), drainMs);
    timer.unref();
    try {
      const rest = await this.#reader?.read();
      if (rest?.done === false) this.#watch.cancel();
    } catch {
      // The answer is complete; how its connection ended does not matter.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The clocks of a request, and the reason when one of them ends it. */
class Watch {
  readonly #options: ExchangeOptions;
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stale: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #expired: ModelError | undefined;

  constructor(options: ExchangeOptions, caller: AbortSignal) {
    this.#options = options;
    this.#caller = caller;
    const { timeouts, streamed } = options;
    this.#start(streamed ? timeouts.streamTotalMs : timeouts.totalMs, 'no complete answer');
    this.#silence = this.#start(streamed ? timeouts.readMs : timeouts.staleWholeMs, 'nothing was heard');
    this.#stale = streamed ? this.#start(timeouts.staleMs, 'the answer did not go on') : undefined;
    if (caller.aborted) this.#controller.abort();
    else caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#silence?.refresh();
  }

  progressed(): void {
    this.#stale?.refresh();
  }

  tighten(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = this.#start(silenceMs, 'the connection was not closed');
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#caller.removeEventListener('abort', this.#onAbort);
  }

  cancel(): void {
    this.#controller.abort();
  }

  failure(kind: 'malformed' | 'timeout', what: string): ModelError {
    return failure(this.#options.context, kind, what);
  }

  throwIfAborted(): void {
    if (this.#caller.aborted) throw this.explain(undefined);
  }

  explain(error: unknown): ModelError {
    if (this.#caller.aborted) return failure(this.#options.context, 'aborted', 'interrupted');
    return this.#expired ?? connectionFailure(this.#options.context, error);
  }

  #start(ms: number, what: string): NodeJS.Timeout | undefined {
    if (ms <= 0) return undefined;
    const seconds = ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`;
    const timer = setTimeout(() => {
      this.#expired = this.failure('timeout', `${what} for ${seconds}`);
      this.#controller.abort();
    }, ms);
    this.#timers.push(timer);
    return timer;
  }
}

/**
 * A connection pool without undici's own limits of 300 s, which would cut models that think for longer; the limits
 * here are those of `Watch`. Node exposes its bundled undici only through the global dispatcher, whose class honours
 * the proxy settings of the process. Undefined, and so the default pool, should Node ever hide it.
 */
export function patientDispatcher(): Dispatcher | undefined {
  // Touching a fetch class loads undici, which sets the global dispatcher.
  void Response;
  const current: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
  if (typeof current !== 'object' || current === null || typeof current.constructor !== 'function') return undefined;
  try {
    const pool: unknown = Reflect.construct(current.constructor, [
      { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs },
    ]);
    return isDispatcher(pool) ? pool : undefined;
  } catch {
    return undefined;
  }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function';
}
