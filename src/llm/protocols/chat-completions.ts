/** The chat-completions protocol: `POST <base>/chat/completions`, streamed or whole. */
import { errorMessage } from '../../lib/errors.ts';
import { type Endpoint, noKeyRequired, timeoutsFor } from '../endpoint.ts';
import { ModelError } from '../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../protocol.ts';
import { adaptDialect, chatRequestBody, type Dialect } from './chat-request.ts';
import { type Exchange, openExchange, patientDispatcher } from './exchange.ts';
import { failure, rejectsField, type RequestContext, statusFailure } from './model-failure.ts';
import { readChatAnswer } from './read-chat-answer.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with a single exception: when the endpoint refuses the name of the
 * output limit (`max_tokens` / `max_completion_tokens`) or `stream_options`, it is asked once more the other way, and
 * the protocol remembers. Text deltas end where a tool call begins; the message in `done` has everything.
 */
export function createChatCompletions(endpoint: Endpoint): Protocol {
  const url = `${endpoint.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  let dialect: Dialect = {
    maxTokensField: endpoint.quirks?.maxTokensField ?? 'max_tokens',
    maxTokensSettled: false,
    streamOptions: true,
  };
  let dispatcher: ReturnType<typeof patientDispatcher>;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<OpenAnswer> {
    dispatcher ??= patientDispatcher();
    for (let used = dialect; ; ) {
      const body = JSON.stringify(chatRequestBody(request, endpoint, used));
      const context = contextOf(endpoint, url, request, body.length);
      const exchange = await openExchange(
        {
          url,
          headers: requestHeaders(endpoint, context),
          body,
          streamed: request.stream,
          timeouts: timeoutsOf(endpoint, url, context.requestTokens),
          context,
          dispatcher,
        },
        signal,
      );
      const { status, headers } = exchange.response;
      if (exchange.response.ok) return { exchange, context };
      const refusal = await readRefusal(exchange);
      if (status >= 300 && status < 400) throw redirected(context, status, headers);
      const adapted = adaptDialect(used, (field) => rejectsField(status, refusal, field));
      if (adapted === undefined) throw statusFailure(context, status, headers, refusal);
      used = adapted;
      dialect = adapted;
    }
  }

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const { exchange, context } = await open(request, signal);
      try {
        yield* readChatAnswer(exchange, context, signal);
      } catch (error) {
        if (error instanceof ModelError) throw error;
        throw failure(context, 'malformed', errorMessage(error), { cause: error });
      } finally {
        exchange.cancel();
      }
    },
  };
}

interface OpenAnswer {
  readonly exchange: Exchange;
  readonly context: RequestContext;
}

async function readRefusal(exchange: Exchange): Promise<string> {
  try {
    return await exchange.errorText();
  } finally {
    exchange.cancel();
  }
}

function contextOf(endpoint: Endpoint, url: string, request: ModelRequest, bodyChars: number): RequestContext {
  const address = URL.parse(url);
  return {
    provider: endpoint.provider,
    model: request.model,
    host: address?.host ?? '',
    secrets: secretsOf(endpoint, address?.password),
    messageCount: request.messages.length,
    requestTokens: Math.floor(bodyChars / 4),
    ...(endpoint.contextLength === undefined ? {} : { contextLength: endpoint.contextLength }),
  };
}

function secretsOf(endpoint: Endpoint, password: string | undefined): string[] {
  const key = endpoint.apiKey === noKeyRequired ? undefined : endpoint.apiKey;
  const headers = Object.entries(endpoint.headers ?? {});
  const inHeaders = headers.filter(([name]) => /key|token|auth|secret|cookie/i.test(name)).map(([, value]) => value);
  return [key, password, ...inHeaders].filter((value) => value !== undefined);
}

function requestHeaders(endpoint: Endpoint, context: RequestContext): Headers {
  try {
    return new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'hermes-agent',
      ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
      ...endpoint.headers,
    });
  } catch {
    // What `Headers` throws repeats the value, and the value is the key.
    throw failure(context, 'auth', 'the API key or a header holds characters that cannot be sent; set it again');
  }
}

/** Large requests may take longer to answer. */
function timeoutsOf(endpoint: Endpoint, url: string, requestTokens: number) {
  const timeouts = timeoutsFor(URL.parse(url)?.hostname ?? '', endpoint.timeouts);
  const atLeast = requestTokens > 100_000 ? 300_000 : requestTokens > 50_000 ? 240_000 : 0;
  return timeouts.staleMs === 0 ? timeouts : { ...timeouts, staleMs: Math.max(timeouts.staleMs, atLeast) };
}

/** A redirect is not followed: the key would travel to a host that nobody configured. */
function redirected(context: RequestContext, status: number, headers: Headers): ModelError {
  const target = URL.parse(headers.get('location') ?? '', `https://${context.host}`);
  const to = target === null ? '' : ` to ${target.host}${target.pathname}`;
  return failure(
    context,
    'bad_request',
    `the address redirects (HTTP ${status})${to}; set the base URL to where it leads`,
    { status },
  );
}
