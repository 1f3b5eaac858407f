/** What Ctrl+C, Ctrl+Q and Escape mean, from the most urgent to the last. */

export type InterruptAction =
  | 'cancel_prompt'
  | 'cancel_and_interrupt'
  | 'interrupt'
  | 'force_exit'
  | 'clear_input'
  | 'ask_again'
  | 'exit';

export interface InterruptFacts {
  /** Who asks something: the agent in its turn, or a command; undefined = nobody. */
  readonly prompt: 'agent' | 'command' | undefined;
  readonly busy: boolean;
  readonly inputEmpty: boolean;
  /** Milliseconds since the last press that interrupted this turn, if one did. */
  readonly sinceInterruptMs: number | undefined;
  /** Milliseconds since a press that cleared the line or would have left, if there was one. */
  readonly sinceAskedMs: number | undefined;
}

/** A second press within this time ends the program. */
const forceExitWithinMs = 2000;
/** How long the hint that a second press leaves is shown and holds. */
export const leaveWithinMs = 3000;

export function interruptAction(facts: InterruptFacts): InterruptAction {
  if (facts.prompt === 'agent' && facts.busy) return 'cancel_and_interrupt';
  if (facts.prompt !== undefined) return 'cancel_prompt';
  if (facts.busy) {
    const again = facts.sinceInterruptMs !== undefined && facts.sinceInterruptMs <= forceExitWithinMs;
    return again ? 'force_exit' : 'interrupt';
  }
  if (!facts.inputEmpty) return 'clear_input';
  // The press may have been meant for a turn that ended just then.
  return facts.sinceAskedMs !== undefined && facts.sinceAskedMs <= leaveWithinMs ? 'exit' : 'ask_again';
}
