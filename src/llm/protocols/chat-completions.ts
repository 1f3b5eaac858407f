/**
 * The chat-completions protocol: `POST <base>/chat/completions`, streamed or whole.
 * https://platform.openai.com/docs/api-reference/chat
 */
import type { Endpoint } from '../endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../protocol.ts';
import { ChatAnswer } from './chat-answer.ts';
import { ChunkParser } from './chat-chunks.ts';
import { adaptDialect, chatRequestBody, type Dialect } from './chat-request.ts';
import { ModelClient } from './model-client.ts';
import { rejectsField } from './model-failure.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with a single exception: when the endpoint refuses the name of the
 * output limit (`max_tokens` / `max_completion_tokens`) or `stream_options`, it is asked once more the other way, and
 * the protocol remembers. Text deltas end where a tool call begins; the message in `done` has everything.
 *
 * @example
 * const protocol = createChatCompletions({ provider: 'custom', baseUrl: 'http://localhost:8080/v1' });
 * for await (const event of protocol.stream({ model, messages, tools: [], stream: true }, signal)) {
 *   if (event.type === 'text') process.stdout.write(event.text);
 * }
 */
export function createChatCompletions(endpoint: Endpoint): Protocol {
  return new ChatCompletions(endpoint);
}

class ChatCompletions implements Protocol {
  readonly #endpoint: Endpoint;
  readonly #client: ModelClient;
  #dialect: Dialect;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#client = new ModelClient(endpoint);
    this.#dialect = {
      maxTokensField: endpoint.quirks?.maxTokensField ?? 'max_tokens',
      maxTokensSettled: false,
      streamOptions: true,
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    // Requests may run side by side; each adapts from where it began.
    let used = this.#dialect;
    return this.#client.stream(
      {
        path: '/chat/completions',
        request,
        body: chatRequestBody(request, this.#endpoint, used),
        adapt: (status, refusal) => {
          const adapted = adaptDialect(used, (field) => rejectsField(status, refusal, field));
          if (adapted === undefined) return undefined;
          used = adapted;
          this.#dialect = adapted;
          return chatRequestBody(request, this.#endpoint, adapted);
        },
        parser: new ChunkParser(),
      },
      (context) => new ChatAnswer(context),
      signal,
    );
  }
}
