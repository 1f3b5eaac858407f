/** Google's own protocol for Gemini: `POST <base>/models/<model>:streamGenerateContent`, or `:generateContent`. */
import { errorMessage } from '../../../lib/errors.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import type { Exchange } from '../exchange.ts';
import { createModelClient, type OpenAnswer } from '../model-client.ts';
import { failure, type RequestContext } from '../model-failure.ts';
import { readEvents } from '../read-events.ts';
import { GeminiAnswer } from './answer.ts';
import { refineRefusal } from './refusals.ts';
import { geminiRequestBody } from './request-body.ts';

/** How long a complete answer may wait for the end of its body. */
const closingSilenceMs = 2000;

/**
 * Binds the protocol to an endpoint: Google AI with a key, or Vertex AI with tokens of the cloud and the base URL
 * `https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>/publishers/google`.
 * Make one per endpoint and keep it: it holds the connections. One request of `stream` is one HTTP request.
 */
export function createGeminiGenerate(endpoint: Endpoint): Protocol {
  const client = createModelClient(endpoint);

  async function open(request: ModelRequest, signal: AbortSignal): Promise<OpenAnswer> {
    let refusal = '';
    try {
      return await client.post(
        {
          path: pathOf(request),
          request,
          body: geminiRequestBody(request, endpoint),
          adapt: (_status, body) => {
            refusal = body;
            return undefined;
          },
        },
        signal,
      );
    } catch (error) {
      throw refineRefusal(error, refusal);
    }
  }

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const { exchange, context } = await open(request, signal);
      try {
        yield* readAnswer(exchange, context, signal);
      } catch (error) {
        if (error instanceof ModelError) throw error;
        throw failure(context, 'malformed', errorMessage(error), { cause: error });
      } finally {
        exchange.cancel();
      }
    },
  };
}

/** Tuned models and other full names (`tunedModels/x`, `models/x`) stand for themselves. */
function pathOf(request: ModelRequest): string {
  const name = request.model.replace(/^google\//, '');
  const resource = /^(?:models|tunedModels)\//.test(name) ? name : `models/${name}`;
  const path = resource.split('/').map(encodeURIComponent).join('/');
  return request.stream ? `/${path}:streamGenerateContent?alt=sse` : `/${path}:generateContent`;
}

async function* readAnswer(
  exchange: Exchange,
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const answer = new GeminiAnswer(context);
  try {
    for await (const { data } of readEvents(exchange, context)) {
      if (answer.finished && data['error'] !== undefined) continue;
      answer.add(data);
      yield* answer.takeEvents();
      if (answer.finished) exchange.almostDone(closingSilenceMs);
    }
  } catch (error) {
    // A finished answer is whole, however its connection ends.
    if (!answer.finished || signal.aborted) throw error;
  }
  exchange.throwIfAborted();
  const last = answer.finish();
  exchange.finish();
  yield* last;
}
