/** Anthropic's Messages protocol: `POST <base>/v1/messages`, streamed or whole. */
import { errorMessage } from '../../../lib/errors.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { createModelClient } from '../model-client.ts';
import { failure } from '../model-failure.ts';
import { Dialects } from './dialect.ts';
import { readAnthropicAnswer } from './read-answer.ts';
import { messagesBody, messagesHeaders, messagesPath } from './request-body.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with one exception: when the endpoint refuses a part that can be left
 * out (thinking, effort, temperature, fast mode, cache marks, stored thoughts that it does not take back) or says how
 * many tokens are left, it is asked again without that part, and the protocol remembers. Text deltas end where a tool
 * call begins; the message in `done` has everything.
 */
export function createAnthropicMessages(endpoint: Endpoint): Protocol {
  const client = createModelClient(endpoint);
  const dialects = new Dialects();
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      // Requests may run side by side; each adapts from where it began.
      let used = dialects.for(request.model);
      let body = messagesBody(request, endpoint, used);
      const { exchange, context } = await client.post(
        {
          path: messagesPath(endpoint.baseUrl),
          request,
          body,
          headers: messagesHeaders(request, endpoint),
          adapt: (status, refusal) => {
            const adapted = dialects.adapt(request.model, body, used, status, refusal);
            if (adapted === undefined) return undefined;
            used = adapted;
            body = messagesBody(request, endpoint, adapted);
            return body;
          },
        },
        signal,
      );
      try {
        yield* readAnthropicAnswer(exchange, context, signal);
      } catch (error) {
        if (error instanceof ModelError) throw error;
        throw failure(context, 'malformed', errorMessage(error), { cause: error });
      } finally {
        exchange.cancel();
      }
    },
  };
}
