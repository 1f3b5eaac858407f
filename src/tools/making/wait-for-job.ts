/** Waits for what a service makes in the background. */
import { setTimeout as sleep } from 'node:timers/promises';

const firstMs = 500;
const mostMs = 5000;
const growth = 1.3;

/** Looks at once, then less and less often, until `look` finds something. Rejects with what it throws, or the signal's reason. */
export async function waitForJob<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found> {
  for (let waitMs = firstMs; ; waitMs = Math.min(mostMs, waitMs * growth)) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(waitMs, undefined, { signal });
  }
}
