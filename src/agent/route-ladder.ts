/** The primary model and its fallbacks, for one turn. The next turn starts on the primary again. */
import type { ModelRoute } from '../llm/protocol.ts';

export class RouteLadder {
  #current: ModelRoute;
  readonly #rest: (() => Promise<ModelRoute>)[];

  constructor(primary: ModelRoute, fallbacks: readonly (() => Promise<ModelRoute>)[]) {
    this.#current = primary;
    this.#rest = [...fallbacks];
  }

  /** Which model answers now. */
  get current(): ModelRoute {
    return this.#current;
  }

  /** There are models behind this one; whether they can be reached is not known yet. */
  get hasNext(): boolean {
    return this.#rest.length > 0;
  }

  /** Moves on to the next fallback; false when there is none left. One that cannot be resolved is passed over. */
  async advance(): Promise<boolean> {
    for (let next = this.#rest.shift(); next !== undefined; next = this.#rest.shift()) {
      try {
        this.#current = await next();
        return true;
      } catch {
        // The next one may do; when none does, the error that brought us here is what the user sees.
      }
    }
    return false;
  }
}
