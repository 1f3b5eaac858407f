/** Sends the requests of one endpoint, whatever their wire format: address, headers, deadlines, refusals. */
import { Connections } from '../../lib/connections.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { shownHost } from '../../lib/socket-address.ts';
import { type Endpoint, type Timeouts, timeoutsFor } from '../endpoint.ts';
import { ModelError } from '../model-error.ts';
import { knownSilenceMs } from '../patience.ts';
import type { ModelEvent, ModelRequest } from '../protocol.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { failure, type RequestContext, statusFailure } from './model-failure.ts';
import { type EventParser, readEvents, type WireEvent } from './read-events.ts';
import { streamAnswer, type WireAnswer } from './stream-answer.ts';

/** A response with status 2xx. Read it to its end, or `exchange.cancel()` it. */
export interface OpenAnswer {
  readonly exchange: Exchange;
  readonly context: RequestContext;
}

export interface ModelPost {
  /** Behind the base URL, with its slash: `/chat/completions`. */
  readonly path: string;
  readonly request: ModelRequest;
  readonly body: JsonObject;
  /** Over the standard headers, under those of the endpoint. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Another body to try after a refusal, for endpoints that turn out to want it otherwise; undefined gives up. It is
   * asked again when the other body is refused too, so it must come to an end.
   */
  readonly adapt?: (status: number, refusal: string) => JsonObject | undefined;
  /** Called when a body that `adapt` made was taken: what was left out was indeed what had been refused. */
  readonly adapted?: () => void;
  /** For a format whose events can be parsed faster than other JSON. */
  readonly parser?: EventParser;
  /** For a format whose body is no stream of events. */
  readonly read?: (exchange: Exchange, context: RequestContext) => AsyncIterable<readonly WireEvent[]>;
}

/** Make one per endpoint and keep it: it holds the connections. */
export class ModelClient {
  readonly #endpoint: Endpoint;
  readonly #connections: Connections;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#connections = endpoint.network?.connections ?? new Connections(endpoint.network);
  }

  /** Sends a request and yields the events of its answer. Throws `ModelError` only. */
  async *stream(
    post: ModelPost,
    answerFor: (context: RequestContext) => WireAnswer<WireEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const { exchange, context } = await this.post(post, signal);
    try {
      const events = post.read?.(exchange, context) ?? readEvents(exchange, context, post.parser);
      yield* streamAnswer(answerFor(context), events, exchange, context);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      throw failure(context, 'malformed', errorMessage(error), { cause: error });
    } finally {
      exchange.cancel();
    }
  }

  /** Throws `ModelError` only. A redirect is not followed: the key would travel to a host that nobody configured. */
  async post(post: ModelPost, signal: AbortSignal): Promise<OpenAnswer> {
    const { path, request, body: first, headers, adapt } = post;
    const endpoint = this.#endpoint;
    const url = addressOf(endpoint, path);
    for (let body = first; ; ) {
      const text = onceAsText(body);
      endpoint.dump?.({ provider: endpoint.provider, url, body });
      const authorized = (await endpoint.authorizer?.headers(signal)) ?? {};
      const context = contextOf(endpoint, url, request, text.length);
      const exchange = await openExchange(
        {
          url,
          headers: requestHeaders({
            ...authorized,
            ...withBetas(headers, authorized),
            ...endpoint.headers,
            ...endpoint.requestHeaders?.(request),
          }),
          body: text.take,
          streamed: request.stream,
          timeouts: timeoutsOf(endpoint, url, context),
          context,
          connections: this.#connections,
        },
        signal,
      );
      if (exchange.ok) {
        if (body !== first) post.adapted?.();
        return { exchange, context };
      }
      const refusal = await readRefusal(exchange);
      const { status } = exchange;
      if (status >= 300 && status < 400) throw redirected(context, status, exchange.header('location') ?? '');
      const adapted = adapt?.(status, refusal);
      if (adapted === undefined) throw statusFailure(context, status, exchange.headers, refusal);
      body = adapted;
    }
  }
}

/** The text of a body, which is long: forgotten when it was sent, made again for another attempt. */
function onceAsText(body: unknown): { readonly length: number; readonly take: () => string } {
  let text: string | undefined = JSON.stringify(body);
  return {
    length: text.length,
    take() {
      const taken = text ?? JSON.stringify(body);
      text = undefined;
      return taken;
    },
  };
}

/** The base URL may have a query of its own, which is kept. */
function addressOf(endpoint: Endpoint, path: string): string {
  const [base = '', query] = endpoint.baseUrl.split('?', 2);
  const [pathOnly = '', pathQuery] = path.split('?', 2);
  const parameters = new URLSearchParams([
    ...new URLSearchParams(query),
    ...Object.entries(endpoint.query ?? {}),
    ...new URLSearchParams(pathQuery),
  ]).toString();
  return `${base.replace(/\/+$/, '')}${pathOnly}${parameters === '' ? '' : `?${parameters}`}`;
}

async function readRefusal(exchange: Exchange): Promise<string> {
  try {
    return await exchange.errorText();
  } finally {
    exchange.cancel();
  }
}

/** What failures of a request to `url` name; for clients that send in another way. */
export function contextOf(endpoint: Endpoint, url: string, request: ModelRequest, bodyChars: number): RequestContext {
  const address = URL.parse(url);
  return {
    provider: endpoint.provider,
    model: request.model,
    host: address === null ? '' : shownHost(address),
    secrets: secretsOf(endpoint, address?.password),
    messageCount: request.messages.length,
    requestTokens: Math.floor(bodyChars / 4),
    ...(endpoint.contextLength === undefined ? {} : { contextLength: endpoint.contextLength }),
    ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
  };
}

function secretsOf(endpoint: Endpoint, password: string | undefined): string[] {
  const keys = [...(endpoint.authorizer?.secrets ?? []), endpoint.bedrock?.apiKey];
  const headers = Object.entries(endpoint.headers ?? {});
  const inHeaders = headers.filter(([name]) => /key|token|auth|secret|cookie/i.test(name)).map(([, value]) => value);
  return [...keys, password, ...inHeaders].filter((value) => value !== undefined);
}

/** Betas that the wire format asks for, with those that the way in needs. */
function withBetas(headers: ModelPost['headers'] = {}, authorized: Readonly<Record<string, string>>) {
  const { 'anthropic-beta': asked } = headers;
  const { 'anthropic-beta': needed } = authorized;
  return asked === undefined || needed === undefined ? headers : { ...headers, 'anthropic-beta': `${asked},${needed}` };
}

function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return mergeHeaders({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
    'user-agent': 'hermes-agent',
    ...headers,
  });
}

/** Names in lower case, so that the last of two spellings counts. */
export function mergeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
}

/**
 * The limits of one request. Large ones may take longer to answer, and so may models that are known to think for long
 * where nobody has set a limit.
 */
export function timeoutsOf(endpoint: Endpoint, url: string, { model, requestTokens }: RequestContext): Timeouts {
  const set = { ...endpoint.timeouts, ...endpoint.timeoutsBySize?.(requestTokens) };
  const timeouts = timeoutsFor(URL.parse(url)?.hostname ?? '', set);
  const large = requestTokens > 100_000 ? 300_000 : requestTokens > 50_000 ? 240_000 : 0;
  const silence = (name: 'readMs' | 'staleMs' | 'staleWholeMs', atLeast = 0): number => {
    const thinks = set[name] === undefined ? knownSilenceMs(model) : 0;
    return timeouts[name] === 0 ? 0 : Math.max(timeouts[name], atLeast, thinks);
  };
  return {
    ...timeouts,
    readMs: silence('readMs'),
    staleMs: silence('staleMs', large),
    staleWholeMs: silence('staleWholeMs'),
  };
}

function redirected(context: RequestContext, status: number, location: string): ModelError {
  const target = URL.parse(location, `https://${context.host}`);
  const to = target === null ? '' : ` to ${target.host}${target.pathname}`;
  return failure(
    context,
    'bad_request',
    `the address redirects (HTTP ${status})${to}; set the base URL to where it leads`,
    { status },
  );
}
