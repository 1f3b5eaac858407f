/** Which credentials this process is using right now, so that work side by side spreads over them. */
import type { Credential } from './credential.ts';

export interface Leases {
  /** Requests under way with a credential. */
  busy(id: string): number;
  begin(credential: Credential): void;
  end(credential: Credential): void;
}

/** No request takes longer; a lease that was never given back does not count any more. */
const longestMs = 7_200_000;

export function createLeases(now: () => number): Leases {
  const open = new Map<Credential, { readonly id: string; readonly until: number }>();
  return {
    busy(id) {
      let count = 0;
      for (const lease of open.values()) if (lease.id === id && lease.until > now()) count += 1;
      return count;
    },
    begin(credential) {
      for (const [old, { until }] of open) if (until <= now()) open.delete(old);
      open.set(credential, { id: credential.id, until: now() + longestMs });
    },
    end(credential) {
      open.delete(credential);
    },
  };
}
