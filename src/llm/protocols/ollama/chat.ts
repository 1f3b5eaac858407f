/**
 * Ollama's own protocol: `POST <base>/api/chat`. Unlike its imitation of chat completions it takes the size of the window
 * (`num_ctx`), without which it silently reads the end of a prompt only.
 * https://docs.ollama.com/api/chat
 */
import { ModelError } from '../../model-error.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { createChatCompletions } from '../chat-completions.ts';
import { ModelClient } from '../model-client.ts';
import { readLines } from '../read-lines.ts';
import { OllamaAnswer } from './answer.ts';
import { type Missing, ollamaBody } from './request-body.ts';

/** Bounds what is remembered of the models of one endpoint. */
const maxModels = 200;
const abilities: readonly Missing[] = ['think', 'tools'];

/**
 * Make one per endpoint and keep it: it holds the connections. A model that cannot think or call tools is asked again
 * without, and that is remembered. A server at this address that is not Ollama is spoken to in chat completions.
 */
export class OllamaChat implements Protocol {
  readonly #endpoint: Endpoint;
  readonly #client: ModelClient;
  readonly #missing = new Map<string, ReadonlySet<Missing>>();
  #instead: Protocol | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    const root = endpoint.baseUrl.replace(/\/+$/, '').replace(/\/(?:v1|api)$/, '');
    this.#client = new ModelClient({ ...endpoint, baseUrl: root });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (this.#instead !== undefined) return yield* this.#instead.stream(request, signal);
    let unknownPath = false;
    try {
      yield* this.#client.stream(
        {
          path: '/api/chat',
          request,
          body: ollamaBody(request, this.#endpoint, this.#missingOf(request.model)),
          adapt: (status, refusal) => {
            // A model that is not there is told of in JSON.
            unknownPath = (status === 404 || status === 405) && !/"error"\s*:\s*"/.test(refusal);
            return this.#learn(request.model, status, refusal)
              ? ollamaBody(request, this.#endpoint, this.#missingOf(request.model))
              : undefined;
          },
          adapted: () => this.#endpoint.refusals?.keep(request.model, [...this.#missingOf(request.model)]),
          read: readLines,
        },
        (context) => new OllamaAnswer(context),
        signal,
      );
    } catch (error) {
      if (!unknownPath || !(error instanceof ModelError)) throw error;
      this.#instead = createChatCompletions(this.#endpoint);
      yield* this.#instead.stream(request, signal);
    }
  }

  #missingOf(model: string): ReadonlySet<Missing> {
    const known = this.#missing.get(model);
    if (known !== undefined) return known;
    const kept = this.#endpoint.refusals?.of(model) ?? [];
    return new Set(abilities.filter((ability) => kept.includes(ability)));
  }

  #learn(model: string, status: number, refusal: string): boolean {
    const known = this.#missingOf(model);
    const what = /does not support (thinking|tools)|think value .* is not supported/i.exec(refusal);
    if (status !== 400 || what === null) return false;
    const missing: Missing = what[1] === 'tools' ? 'tools' : 'think';
    if (known.has(missing)) return false;
    if (this.#missing.size >= maxModels) this.#missing.clear();
    this.#missing.set(model, new Set([...known, missing]));
    return true;
  }
}
