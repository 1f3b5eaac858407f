/**
 * Anthropic's Messages protocol: `POST <base>/v1/messages`, streamed or whole.
 * https://docs.claude.com/en/api/messages
 */
import type { Endpoint } from '../../endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { ModelClient } from '../model-client.ts';
import { AnthropicAnswer } from './answer.ts';
import { Dialects } from './dialect.ts';
import { messagesBody, messagesHeaders, messagesPath } from './request-body.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections.
 *
 * One request of `stream` is one HTTP request, with one exception: when the endpoint refuses a part that can be left
 * out (thinking, effort, temperature, fast mode, cache marks, stored thoughts that it does not take back) or says how
 * many tokens are left, it is asked again without that part, and the protocol remembers. Text deltas end where a tool
 * call begins; the message in `done` has everything.
 */
export class AnthropicMessages implements Protocol {
  readonly #endpoint: Endpoint;
  readonly #client: ModelClient;
  readonly #dialects: Dialects;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#dialects = new Dialects(endpoint.refusals);
    this.#client = new ModelClient(endpoint);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const { baseUrl } = this.#endpoint;
    // Requests may run side by side; each adapts from where it began.
    let used = this.#dialects.for(request.model);
    let body = messagesBody(request, this.#endpoint, used);
    return this.#client.stream(
      {
        path: messagesPath(baseUrl),
        request,
        body,
        headers: messagesHeaders(request, this.#endpoint),
        adapt: (status, refusal) => {
          const adapted = this.#dialects.adapt(request.model, body, used, status, refusal);
          if (adapted === undefined) return undefined;
          used = adapted;
          body = messagesBody(request, this.#endpoint, adapted);
          return body;
        },
        adapted: () => this.#dialects.keep(request.model),
      },
      (context) => new AnthropicAnswer(context),
      signal,
    );
  }
}
