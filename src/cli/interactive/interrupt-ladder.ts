/** What Ctrl+C and Escape mean, from the most urgent to the last. */

export type InterruptAction = 'cancel_prompt' | 'interrupt' | 'force_exit' | 'clear_input' | 'ask_again' | 'exit';

export interface InterruptFacts {
  readonly promptOpen: boolean;
  readonly busy: boolean;
  readonly inputEmpty: boolean;
  /** Milliseconds since the last press that interrupted this turn, if one did. */
  readonly sinceInterruptMs: number | undefined;
  /** Milliseconds since a press that would have left, if there was one. */
  readonly sinceAskedMs: number | undefined;
}

/** A second press within this time ends the program. */
const forceExitWithinMs = 2000;
/** How long the hint that a second press leaves is shown and holds. */
export const leaveWithinMs = 3000;

export function interruptAction(facts: InterruptFacts): InterruptAction {
  if (facts.promptOpen) return 'cancel_prompt';
  if (facts.busy) {
    const again = facts.sinceInterruptMs !== undefined && facts.sinceInterruptMs <= forceExitWithinMs;
    return again ? 'force_exit' : 'interrupt';
  }
  if (!facts.inputEmpty) return 'clear_input';
  return facts.sinceAskedMs !== undefined && facts.sinceAskedMs <= leaveWithinMs ? 'exit' : 'ask_again';
}
