/**
 * One HTTP request to a model with its time limits, read in chunks and never longer than allowed.
 *
 * Sent with `node:http`, not with `fetch`: that has limits of its own (no answer for 300 s ends it, although a local
 * model may think for longer), and loading it takes 35 ms and 15 MB of every start.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connections } from '../../lib/connections.ts';
import type { Timeouts } from '../endpoint.ts';
import { ModelError } from '../model-error.ts';
import { connectionFailure, failure, type HeaderFields, type RequestContext } from './model-failure.ts';

/** An answer larger than this does not come to an end by itself. */
const maxAnswerBytes = 64 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;
/** More than this waits in the socket until it is read. */
const maxQueuedBytes = 1024 * 1024;
const connectMs = 10_000;
/** How long a finished answer may take to close, so that the connection can be used again. */
const drainMs = 1000;

export interface ExchangeOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | (() => string);
  readonly streamed: boolean;
  readonly timeouts: Timeouts;
  readonly context: RequestContext;
  readonly connections: Connections;
}

/** Sends the request and waits for the head of the response. Redirects are not followed. Throws `ModelError` only. */
export async function openExchange(options: ExchangeOptions, signal: AbortSignal): Promise<Exchange> {
  const watch = new Watch(options, signal);
  try {
    signal.throwIfAborted();
    const { connections } = options;
    const response = await connections.send(options, watch.signal, (request) => watch.connecting(request));
    return new Exchange(response, watch);
  } catch (error) {
    watch.end();
    throw watch.explain(error);
  }
}

export class Exchange {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly #response: IncomingMessage;
  readonly #watch: Watch;
  readonly #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #bytes = 0;
  /** Why nothing more will come. */
  #end: { readonly error?: ModelError } | undefined;
  #news = Promise.withResolvers<void>();
  #finished = false;

  constructor(response: IncomingMessage, watch: Watch) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    this.#watch = watch;
    response.on('data', (bytes: Uint8Array) => this.#take(bytes));
    response.on('end', () => this.#close({}));
    response.on('error', (error) => this.#close({ error: watch.explain(error) }));
    response.on('close', () => {
      // After a whole answer too, and an error costs more than all of that.
      if (this.#end === undefined) this.#close({ error: watch.explain(new Error('the connection was closed')) });
    });
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Undefined when it was not sent. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  /** The next piece of the body, everything that came before a failure included; undefined at its end. Throws `ModelError` only. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0 && this.#end === undefined) await this.#news.promise;
    const bytes = this.#chunks.shift();
    if (bytes === undefined) {
      if (this.#end?.error !== undefined) throw this.#end.error;
      return undefined;
    }
    this.#queuedBytes -= bytes.byteLength;
    if (this.#queuedBytes < maxQueuedBytes) this.#response.resume();
    return bytes;
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

  /** Throws when the caller has given up. */
  throwIfAborted(): void {
    this.#watch.throwIfAborted();
  }

  /** A part of the answer came, not just a sign of life. */
  progressed(): void {
    this.#watch.progressed();
  }

  /** Everything that matters has come: from now on only a short silence is waited out. */
  almostDone(): void {
    this.#watch.almostDone();
  }

  /** Ends a request whose answer is complete; the connection is kept when the rest of the body is only its end. */
  finish(): void {
    this.#finished = true;
    this.#watch.end();
    if (this.#end !== undefined) return;
    const timer = setTimeout(() => this.#watch.cancel(), drainMs);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer)).resume();
  }

  /** Ends a request that is not wanted any more, together with its connection unless all of it was read. */
  cancel(): void {
    if (this.#finished) return;
    this.#watch.end();
    if (this.#end === undefined) this.#watch.cancel();
  }

  #take(bytes: Uint8Array): void {
    if (this.#finished || this.#end !== undefined) return;
    this.#watch.heard();
    this.#bytes += bytes.byteLength;
    this.#queuedBytes += bytes.byteLength;
    this.#chunks.push(bytes);
    if (this.#queuedBytes >= maxQueuedBytes) this.#response.pause();
    if (this.#bytes > maxAnswerBytes) {
      this.#close({ error: this.#watch.tooLong(`${maxAnswerBytes / 1024 / 1024} MB`) });
      this.#watch.cancel();
    }
    this.#wake();
  }

  #close(end: { readonly error?: ModelError }): void {
    this.#end ??= end;
    this.#wake();
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
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
  readonly #first: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #progressed = false;
  #expired: ModelError | undefined;

  constructor(options: ExchangeOptions, caller: AbortSignal) {
    this.#options = options;
    this.#caller = caller;
    const { timeouts, streamed } = options;
    this.#start(streamed ? timeouts.streamTotalMs : timeouts.totalMs, (time) =>
      streamed && this.#progressed ? this.tooLong(time) : this.#timeout(`no complete answer within ${time}`),
    );
    this.#silence = this.#start(streamed ? timeouts.readMs : timeouts.staleWholeMs, (time) =>
      this.#timeout(`no data arrived for ${time}`),
    );
    this.#stale = streamed
      ? this.#start(timeouts.staleMs, (time) => this.#timeout(`the answer did not go on for ${time}`))
      : undefined;
    this.#first = streamed
      ? this.#start(timeouts.firstEventMs, (time) => this.#timeout(`no answer began within ${time}`))
      : undefined;
    if (caller.aborted) this.#controller.abort();
    else caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  connecting(request: ClientRequest): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = this.#start(connectMs, (time) => this.#timeout(`no connection within ${time}`));
      socket.once('connect', () => clearTimeout(timer));
    });
  }

  heard(): void {
    this.#silence?.refresh();
  }

  progressed(): void {
    this.#progressed = true;
    clearTimeout(this.#first);
    this.#stale?.refresh();
  }

  almostDone(): void {
    clearTimeout(this.#silence);
    this.#silence = this.#start(closingSilenceMs, (time) => this.#timeout(`the connection was not closed for ${time}`));
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#caller.removeEventListener('abort', this.#onAbort);
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** What has come is an answer, but one without an end. */
  tooLong(limit: string): ModelError {
    return failure(this.#options.context, 'answer_too_long', `the answer was cut off: it had no end after ${limit}`);
  }

  throwIfAborted(): void {
    if (this.#caller.aborted) throw this.explain(undefined);
  }

  explain(error: unknown): ModelError {
    if (this.#caller.aborted) return failure(this.#options.context, 'aborted', 'interrupted');
    return this.#expired ?? connectionFailure(this.#options.context, error);
  }

  #timeout(what: string): ModelError {
    return failure(this.#options.context, 'timeout', what);
  }

  #start(ms: number, explain: (time: string) => ModelError): NodeJS.Timeout | undefined {
    if (ms <= 0) return undefined;
    const timer = setTimeout(() => {
      this.#expired = explain(ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`);
      this.#controller.abort();
    }, ms);
    this.#timers.push(timer);
    return timer;
  }
}

/** How long a complete answer may wait for its usage and the end of its body. */
const closingSilenceMs = 2000;
