/**
 * The chat-completions protocol: `POST <base>/chat/completions`, streamed or whole.
 * https://platform.openai.com/docs/api-reference/chat
 */
import type { Endpoint } from '../endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../protocol.ts';
import { ChatAnswer } from './chat-answer.ts';
import { ChunkParser } from './chat-chunks.ts';
import { adaptDialect, chatRequestBody, Dialects } from './chat-request.ts';
import { ModelClient } from './model-client.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with a single exception: when the endpoint refuses the name of the
 * output limit (`max_tokens` / `max_completion_tokens`) or names a part that can be left out (thinking, effort,
 * temperature, cache marks …), it is asked again the other way, and the protocol remembers. Text deltas end where a tool call begins; the message in `done` has everything.
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
  readonly #dialects: Dialects;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#client = new ModelClient(endpoint);
    this.#dialects = new Dialects(endpoint);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    // Requests may run side by side; each adapts from where it began.
    let used = this.#dialects.for(request.model);
    let body = chatRequestBody(request, this.#endpoint, used);
    return this.#client.stream(
      {
        path: '/chat/completions',
        request,
        body,
        adapt: (status, refusal) => {
          const adapted = adaptDialect(used, body, { status, body: refusal });
          if (adapted === undefined) return undefined;
          used = adapted;
          this.#dialects.set(request.model, adapted);
          body = chatRequestBody(request, this.#endpoint, adapted);
          return body;
        },
        adapted: () => this.#dialects.keep(request.model, used),
        parser: new ChunkParser(),
      },
      (context) => new ChatAnswer(context),
      signal,
    );
  }
}
