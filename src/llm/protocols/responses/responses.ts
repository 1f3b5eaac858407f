/** OpenAI's Responses protocol: `POST <base>/responses`, streamed or whole. */
import { errorMessage } from '../../../lib/errors.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import type { Exchange } from '../exchange.ts';
import { createModelClient } from '../model-client.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import { readEvents } from '../read-events.ts';
import { ResponsesAnswer } from './answer.ts';
import { Dialects } from './dialect.ts';
import { responsesBody } from './request.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with two exceptions. When the endpoint refuses a part that can be left
 * out, it is asked again without, and the protocol remembers. When a stream ends without a word about how the response
 * ended, and nothing of it was passed on, it is asked once more for the whole response. Text deltas end where a tool
 * call begins; the message in `done` has everything.
 */
export function createResponses(endpoint: Endpoint): Protocol {
  const client = createModelClient(endpoint);
  const dialects = new Dialects();
  /** Streams in a row that had no end. */
  let endless = 0;

  /** One request for one response. */
  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, Attempt> {
    // Requests may run side by side; each adapts from where it began.
    let used = dialects.for(request.model);
    let body = responsesBody(request, endpoint, used);
    const { exchange, context } = await client.post(
      {
        path: '/responses',
        request,
        body,
        adapt: (status, refusal) => {
          const adapted = dialects.adapt(request.model, body, used, status, refusal);
          if (adapted === undefined) return undefined;
          used = adapted;
          body = responsesBody(request, endpoint, adapted);
          return body;
        },
      },
      signal,
    );
    try {
      return yield* readAnswer(exchange, context);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      throw failure(context, 'malformed', errorMessage(error), { cause: error });
    } finally {
      exchange.cancel();
    }
  }

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const first = yield* attempt(request, signal);
      endless = first.ended ? 0 : endless + 1;
      if (first.ended) return;
      // What was shown cannot be taken back here; whoever retries can.
      if (first.shown) throw withoutEnd(first.context, endless);
      const second = yield* attempt({ ...request, stream: false }, signal);
      if (!second.ended) throw withoutEnd(second.context, endless);
    },
  };
}

/** How reading one response went. */
interface Attempt {
  readonly ended: boolean;
  /** Events were passed on. */
  readonly shown: boolean;
  readonly context: RequestContext;
}

/** Where every stream has no end, whole responses are the way out. */
function withoutEnd(context: RequestContext, times: number): ModelError {
  return failure(
    context,
    times > 1 ? 'stream_unsupported' : 'network',
    'the connection was closed in the middle of the answer',
  );
}

async function* readAnswer(exchange: Exchange, context: RequestContext): AsyncGenerator<ModelEvent, Attempt> {
  const answer = new ResponsesAnswer(context);
  let shown = false;
  try {
    for await (const { name, data, whole, more } of readEvents(exchange, context)) {
      // Some endpoints wrap the whole response like its last event.
      if (whole && data['response'] === undefined) answer.takeWhole(data);
      else answer.add(data, name);
      if (answer.ended) break;
      if (more === true) continue;
      const events = answer.takeEvents();
      shown ||= events.length > 0;
      yield* events;
    }
  } catch (error) {
    yield* answer.takeEvents();
    throw error;
  }
  exchange.throwIfAborted();
  if (!answer.begun) throw failure(context, 'network', 'the connection was closed before the answer began');
  if (!answer.ended) return { ended: false, shown, context };
  exchange.finish();
  yield* answer.finish();
  return { ended: true, shown, context };
}
