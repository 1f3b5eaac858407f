/** What Enter does with a message while the agent works, in words. */
import type { BusyMode } from '../../worker/worker.ts';

const words = {
  interrupt: 'Enter stops the agent and sends this now · Alt+Q after the turn · Alt+S with the next tool result',
  queue: 'Enter keeps this for after the turn · Alt+S hands it over with the next tool result',
  steer: 'Enter hands this to the agent with the next tool result · Alt+Q keeps it for after the turn',
} as const satisfies Record<BusyMode, string>;

export function enterHint(mode: BusyMode): string {
  return words[mode];
}
