/**
 * Google's own protocol for Gemini: `POST <base>/models/<model>:streamGenerateContent`, or `:generateContent`.
 * https://ai.google.dev/api/generate-content
 */
import type { Endpoint } from '../../endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { ModelClient, type ModelPost } from '../model-client.ts';
import { GeminiAnswer } from './answer.ts';
import { refineRefusal } from './refusals.ts';
import { geminiRequestBody } from './request-body.ts';

/**
 * Binds the protocol to an endpoint: Google AI with a key, or Vertex AI with tokens of the cloud and the base URL
 * `https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>/publishers/google`.
 * Make one per endpoint and keep it: it holds the connections. One request of `stream` is one HTTP request.
 */
export class GeminiGenerate implements Protocol {
  readonly #endpoint: Endpoint;
  readonly #client: ModelClient;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#client = new ModelClient(endpoint);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let refusal = '';
    const post: ModelPost = {
      path: pathOf(request),
      request,
      body: geminiRequestBody(request, this.#endpoint),
      adapt: (_status, body) => {
        refusal = body;
        return undefined;
      },
    };
    try {
      yield* this.#client.stream(post, (context) => new GeminiAnswer(context), signal);
    } catch (error) {
      throw refineRefusal(error, refusal);
    }
  }
}

/** Tuned models and other full names (`tunedModels/x`, `models/x`) stand for themselves. */
function pathOf(request: ModelRequest): string {
  const name = request.model.replace(/^google\//, '');
  const resource = /^(?:models|tunedModels)\//.test(name) ? name : `models/${name}`;
  const path = resource.split('/').map(encodeURIComponent).join('/');
  return request.stream ? `/${path}:streamGenerateContent?alt=sse` : `/${path}:generateContent`;
}
