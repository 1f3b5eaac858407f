/**
 * Lets LM Studio load a model with the window that a conversation reckons with. A model that nobody loaded would come
 * with the server's own, usually 4,096 tokens, and lose the front of every prompt without a word.
 * https://lmstudio.ai/docs/developer/rest/load
 */
import type { Endpoint } from '../llm/endpoint.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../llm/protocol.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { unloadedWindow } from '../models/context-lengths.ts';
import { getJson } from '../models/knowledge/get-json.ts';
import { entriesOf } from '../models/knowledge/listed-window.ts';

const listMs = 3000;
/** A large model from a slow disk. */
const loadMs = 600_000;
/** Bounds what is remembered: models of one server. */
const maxModels = 200;

/** What is loaded stays as its owner loaded it. A server that cannot be asked, or refuses, gets the request all the same. */
export class LoadingProtocol implements Protocol {
  readonly #inner: Protocol;
  readonly #endpoint: Endpoint;
  readonly #seen = new Set<string>();

  constructor(inner: Protocol, endpoint: Endpoint) {
    this.#inner = inner;
    this.#endpoint = endpoint;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (!this.#seen.has(request.model)) {
      await this.#load(request.model, signal);
      if (this.#seen.size >= maxModels) this.#seen.clear();
      if (!signal.aborted) this.#seen.add(request.model);
    }
    yield* this.#inner.stream(request, signal);
  }

  async #load(model: string, signal: AbortSignal): Promise<void> {
    const { baseUrl, authorizer, contextLength, network = {} } = this.#endpoint;
    const fetch = fetchOver(network);
    const root = baseUrl.replace(/\/+$/, '').replace(/\/(?:api\/)?v\d+$/, '');
    const headers = (await authorizer?.headers(signal)) ?? {};
    const listed = await getJson(`${root}/api/v1/models`, { headers, signal, timeoutMs: listMs, fetch });
    const entry = entriesOf(listed).find(({ key }) => key === model);
    if (entry === undefined || isLoaded(entry)) return;
    const body: JsonValue = { model, context_length: windowOf(entry, contextLength) };
    await getJson(`${root}/api/v1/models/load`, { headers, signal, timeoutMs: loadMs, body, fetch });
  }
}

function isLoaded({ loaded_instances: instances }: JsonObject): boolean {
  return !Array.isArray(instances) || instances.some((instance) => isJsonObject(instance));
}

function windowOf({ max_context_length: most }: JsonObject, wanted = unloadedWindow): number {
  return typeof most === 'number' && most > 0 ? Math.min(most, wanted) : wanted;
}
