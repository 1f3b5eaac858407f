/** Models that conversations are answered by, found once for all of them: they share the connections to their providers. */
import type { ModelAlias } from '../../config/api-server.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import type { Program } from '../../runtime/program.ts';

/** How long one is used without being looked for again, in milliseconds: keys and addresses may change. */
const freshMs = 60_000;

export interface NamedModel {
  readonly name: string;
  readonly model: ModelAlias;
}

interface Found {
  readonly route: Promise<ModelRoute>;
  readonly since: number;
}

export class ModelRoutes {
  readonly #models: Program['models'];
  readonly #found = new Map<string, Found>();

  constructor({ models }: Pick<Program, 'models'>) {
    this.#models = models;
  }

  /** Undefined means the configured one. Throws `UserError` for what cannot be resolved. */
  async get(alias: NamedModel | undefined): Promise<ModelRoute> {
    const name = alias === undefined ? '' : JSON.stringify([alias.name, alias.model]);
    const known = this.#found.get(name);
    if (known !== undefined && performance.now() - known.since < freshMs) return await known.route;
    for (const [old, { since }] of this.#found) if (performance.now() - since >= freshMs) this.#found.delete(old);
    const route = this.#models.resolve(alias === undefined ? {} : requestOf(alias.model));
    this.#found.set(name, { route, since: performance.now() });
    try {
      return await route;
    } catch (error) {
      this.#found.delete(name);
      throw error;
    }
  }
}

function requestOf({ model, provider, apiKey, baseUrl }: ModelAlias) {
  return {
    model,
    ...(provider === undefined ? {} : { provider }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}
