/** The limits of what a conversation delegates, as its model is told of them. */
import type { Config } from '../../config/load.ts';
import type { DelegationTerms } from '../../tools/delegation/delegation.ts';

/** `depth` of the conversation: 0 is a person's. `inBackground`: results can reach it later. */
export function delegationTerms(
  { max_concurrent_children, max_spawn_depth, orchestrator_enabled }: Config['delegation'],
  { depth, inBackground }: { readonly depth: number; readonly inBackground: boolean },
): DelegationTerms {
  return {
    mostTasks: max_concurrent_children,
    inBackground,
    mayNest: orchestrator_enabled && depth + 1 < max_spawn_depth,
  };
}
