/** The output limit of a turn's requests: doubled each time an answer was cut by it, as far as that can help. */
import type { ModelRoute } from '../llm/protocol.ts';

/** More than one answer needs, and less than what most models refuse. */
const maxRaised = 32_768;

export class OutputLimit {
  #doublings = 0;
  #refused = false;

  raise(): void {
    if (!this.#refused) this.#doublings += 1;
  }

  /** An answer came whole: the next one gets the usual limit. */
  settle(): void {
    this.#doublings = 0;
  }

  /** The provider refused the request: it is asked with the usual limit from now on. False when it was that already. */
  refused(): boolean {
    const wasRaised = this.#doublings > 0;
    this.#doublings = 0;
    this.#refused ||= wasRaised;
    return wasRaised;
  }

  /** Where no limit is sent, the provider's own is the largest there is. */
  on(route: ModelRoute): ModelRoute {
    const { maxTokens, contextLength = Infinity } = route;
    if (maxTokens === undefined || this.#doublings === 0) return route;
    const most = Math.max(maxTokens, Math.min(maxRaised, Math.floor(contextLength / 2)));
    return { ...route, maxTokens: Math.min(maxTokens * 2 ** this.#doublings, most) };
  }
}
