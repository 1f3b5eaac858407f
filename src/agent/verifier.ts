/** Sees what a turn changes and how that was checked, and may want a check before the turn ends. */
import type { FinishedCall } from './run-tool-calls.ts';

/**
 * Must never throw or reject, and must ask for only so many checks in one turn.
 *
 * @example
 * verifier.startTurn();
 * verifier.note(call);
 * const demand = await verifier.demand();
 */
export interface Verifier {
  startTurn(): void;
  /** Called for every call that was answered. */
  note(call: FinishedCall): void;
  /** What the model is told instead of ending the turn with its answer; undefined: it may end. */
  demand(): Promise<string | undefined>;
}

/** Takes every answer as it is. */
export const trusting: Verifier = {
  startTurn: () => undefined,
  note: () => undefined,
  demand: () => Promise.resolve(undefined),
};
