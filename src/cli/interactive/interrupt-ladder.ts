/** What Ctrl+C means, from the most urgent to the last. */

export type InterruptAction = 'cancel_prompt' | 'interrupt' | 'force_exit' | 'clear_input' | 'exit';

export interface InterruptFacts {
  readonly promptOpen: boolean;
  readonly busy: boolean;
  readonly inputEmpty: boolean;
  /** Milliseconds since the last press that interrupted this turn, if one did. */
  readonly sinceInterruptMs: number | undefined;
}

/** A second press within this time ends the program. */
const forceExitWithinMs = 2000;

export function interruptAction(facts: InterruptFacts): InterruptAction {
  if (facts.promptOpen) return 'cancel_prompt';
  if (facts.busy) {
    const again = facts.sinceInterruptMs !== undefined && facts.sinceInterruptMs <= forceExitWithinMs;
    return again ? 'force_exit' : 'interrupt';
  }
  return facts.inputEmpty ? 'exit' : 'clear_input';
}
