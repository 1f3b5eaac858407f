/** The primary model and its fallbacks, for one turn. */
import type { ModelRoute } from '../llm/protocol.ts';
import type { RouteLadder } from './model-call.ts';

/** A fallback that cannot be resolved (no key, unknown provider) is passed over. */
export function createRouteLadder(primary: ModelRoute, fallbacks: readonly (() => Promise<ModelRoute>)[]): RouteLadder {
  const rest = [...fallbacks];
  let current = primary;
  return {
    get current() {
      return current;
    },
    async advance() {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        try {
          current = await next();
          return true;
        } catch {
          // The next one may do; when none does, the error that brought us here is what the user sees.
        }
      }
      return false;
    },
  };
}
