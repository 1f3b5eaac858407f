/**
 * OpenAI's Responses protocol: `POST <base>/responses`, streamed or whole.
 * https://platform.openai.com/docs/api-reference/responses
 */
import type { Endpoint } from '../../endpoint.ts';
import { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { ModelClient } from '../model-client.ts';
import { UnfinishedAnswer } from '../stream-answer.ts';
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
export class Responses implements Protocol {
  readonly #endpoint: Endpoint;
  readonly #client: ModelClient;
  readonly #dialects: Dialects;
  /** Streams in a row that had no end. */
  #endless = 0;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#client = new ModelClient(endpoint);
    this.#dialects = new Dialects(endpoint.refusals);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let shown = false;
    try {
      for await (const event of this.#ask(request, signal)) {
        shown = true;
        yield event;
      }
      this.#endless = 0;
    } catch (error) {
      if (!lacksEnd(error)) throw error;
      this.#endless += 1;
      // What was shown cannot be taken back here; whoever retries can.
      if (shown) throw this.#withoutEnd(error);
      yield* this.#askForWhole(request, signal);
    }
  }

  async *#askForWhole(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      yield* this.#ask({ ...request, stream: false }, signal);
    } catch (error) {
      throw lacksEnd(error) ? this.#withoutEnd(error) : error;
    }
  }

  /** Where every stream has no end, whole responses are the way out. */
  #withoutEnd(error: UnfinishedAnswer): ModelError {
    return this.#endless > 1 ? new ModelError('stream_unsupported', error.message, error) : error;
  }

  /** One request for one response. */
  #ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    // Requests may run side by side; each adapts from where it began.
    let used = this.#dialects.for(request.model);
    let body = responsesBody(request, this.#endpoint, used);
    return this.#client.stream(
      {
        path: '/responses',
        request,
        body,
        adapt: (status, refusal) => {
          const adapted = this.#dialects.adapt(request.model, body, used, status, refusal);
          if (adapted === undefined) return undefined;
          used = adapted;
          body = responsesBody(request, this.#endpoint, adapted);
          return body;
        },
        adapted: () => this.#dialects.keep(request.model),
      },
      (context) => new ResponsesAnswer(context),
      signal,
    );
  }
}

function lacksEnd(error: unknown): error is UnfinishedAnswer {
  return error instanceof UnfinishedAnswer && error.begun;
}
