/** The chat-completions protocol: `POST <base>/chat/completions`, streamed or whole. */
import { errorMessage } from '../../lib/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { ModelError } from '../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../protocol.ts';
import { adaptDialect, chatRequestBody, type Dialect } from './chat-request.ts';
import { createModelClient } from './model-client.ts';
import { failure, rejectsField } from './model-failure.ts';
import { readChatAnswer } from './read-chat-answer.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with a single exception: when the endpoint refuses the name of the
 * output limit (`max_tokens` / `max_completion_tokens`) or `stream_options`, it is asked once more the other way, and
 * the protocol remembers. Text deltas end where a tool call begins; the message in `done` has everything.
 */
export function createChatCompletions(endpoint: Endpoint): Protocol {
  const client = createModelClient(endpoint);
  let dialect: Dialect = {
    maxTokensField: endpoint.quirks?.maxTokensField ?? 'max_tokens',
    maxTokensSettled: false,
    streamOptions: true,
  };
  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      // Requests may run side by side; each adapts from where it began.
      let used = dialect;
      const { exchange, context } = await client.post(
        {
          path: '/chat/completions',
          request,
          body: chatRequestBody(request, endpoint, used),
          adapt: (status, refusal) => {
            const adapted = adaptDialect(used, (field) => rejectsField(status, refusal, field));
            if (adapted === undefined) return undefined;
            used = adapted;
            dialect = adapted;
            return chatRequestBody(request, endpoint, adapted);
          },
        },
        signal,
      );
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
