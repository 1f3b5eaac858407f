/** What Enter does with a message while the agent works, in words. */
import type { BusyMode } from '../../worker/worker.ts';

const words = {
  interrupt: 'Enter stops the agent and sends this now · /queue and a text: after the turn · /busy changes it',
  queue: 'Enter keeps this for after the turn · /busy changes it',
  steer: 'Enter hands this to the agent with the next tool result · /busy changes it',
} as const satisfies Record<BusyMode, string>;

export function enterHint(mode: BusyMode): string {
  return words[mode];
}
