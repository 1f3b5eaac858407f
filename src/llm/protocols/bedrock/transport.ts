/** Carries the signed requests of the AWS SDK over the house's own connections, with their time limits and bounds. */
import { Readable } from 'node:stream';
import type { Connections } from '../../../lib/connections.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ModelError } from '../../model-error.ts';
import type { ModelRequest } from '../../protocol.ts';
import { type Exchange, openExchange } from '../exchange.ts';
import { contextOf, mergeHeaders, timeoutsOf } from '../model-client.ts';
import { failure, type RequestContext } from '../model-failure.ts';

/** A request as the SDK hands it over, signed. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** How long the credential chain may take: it may ask other hosts, or run a program. */
const credentialsMs = 60_000;

/** One request of the SDK. It is sent when the SDK has found credentials and signed it. */
export class Transport {
  exchange: Exchange | undefined;
  context: RequestContext;
  /** What went wrong on the wire; the SDK may wrap it or tell it in its own words. */
  problem: ModelError | undefined;
  readonly #endpoint: Endpoint;
  readonly #request: ModelRequest;
  readonly #connections: Connections;
  readonly #signal: AbortSignal;
  #sent = false;

  constructor(endpoint: Endpoint, request: ModelRequest, connections: Connections, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#connections = connections;
    this.#signal = signal;
    this.context = contextOf(endpoint, endpoint.baseUrl, request, 0);
  }

  #dump(url: string, body: string): void {
    const { dump, provider } = this.#endpoint;
    if (dump === undefined) return;
    const parsed = parseJson(body);
    if (isJsonObject(parsed)) dump({ provider, url, body: parsed });
  }

  /** The handler that this request is sent with; the SDK's own would know neither our limits nor the proxy settings. */
  async send(request: SignedRequest): Promise<{ response: SdkResponse }> {
    this.#sent = true;
    if (this.problem !== undefined) throw this.problem;
    const port = request.port === undefined ? '' : `:${request.port}`;
    const url = `${request.protocol}//${request.hostname}${port}${request.path}`;
    const body = typeof request.body === 'string' ? request.body : bytesToText(request.body);
    this.context = contextOf(this.#endpoint, url, this.#request, body.length);
    this.#dump(url, body);
    // Both are set when sending from the address and the body, to the values that were signed.
    const { host: _host, 'content-length': _length, ...headers } = request.headers;
    try {
      const exchange = await openExchange(
        {
          url,
          headers: mergeHeaders({
            ...this.#endpoint.headers,
            ...this.#endpoint.requestHeaders?.(this.#request),
            ...headers,
          }),
          body,
          streamed: this.#request.stream,
          timeouts: timeoutsOf(this.#endpoint, url, this.context),
          context: this.context,
          connections: this.#connections,
        },
        this.#signal,
      );
      this.exchange = exchange;
      return {
        response: {
          statusCode: exchange.status,
          headers: Object.fromEntries(Object.keys(exchange.headers).map((name) => [name, exchange.header(name) ?? ''])),
          body: Readable.from(this.#bytes(exchange)),
        },
      };
    } catch (error) {
      throw this.#remember(error);
    }
  }

  /** Waits for the SDK, but no longer than the caller does, or than finding credentials may take. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = (kind: 'aborted' | 'auth', what: string) =>
      reject(this.#remember(failure(this.context, kind, what)));
    const onAbort = () => giveUp('aborted', 'interrupted');
    const timer = setTimeout(() => {
      if (!this.#sent) giveUp('auth', `no AWS credentials within ${credentialsMs / 1000} s; check the AWS profile`);
    }, credentialsMs);
    // The loser of the race may still fail, when nobody listens any more.
    work.catch(() => undefined);
    promise.catch(() => undefined);
    if (this.#signal.aborted) onAbort();
    else this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', onAbort);
    }
  }

  async *#bytes(exchange: Exchange): AsyncGenerator<Uint8Array> {
    try {
      for (let bytes = await exchange.read(); bytes !== undefined; bytes = await exchange.read()) yield bytes;
    } catch (error) {
      throw this.#remember(error);
    }
  }

  #remember(error: unknown): unknown {
    if (error instanceof ModelError) this.problem ??= error;
    return error;
  }
}

function bytesToText(body: unknown): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}
