/** Why a pool gives nothing, in words. */
import { isDead, restsUntil } from './cool-down.ts';
import type { NothingLeft } from './credential.ts';
import type { Member } from './pool-members.ts';
import { lost } from './refresh-login.ts';

/** Undefined when nobody in the pool rests and not all have ended. */
export function explainNothingLeft(all: readonly Member[], provider: string, now: number): NothingLeft | undefined {
  const waits = all.flatMap(({ entry }) => {
    const until = isDead(entry) ? undefined : restsUntil(entry);
    return until === undefined || until <= now ? [] : [{ entry, until }];
  });
  const [first] = waits.toSorted((one, other) => one.until - other.until);
  if (first === undefined) return explainEnded(all, provider);
  const unpaid = waits.every(({ entry }) => entry.last_error_code === 402);
  const what = unpaid ? 'are out of credit' : 'have reached their limits';
  const wait = duration(first.until - now);
  return {
    kind: unpaid ? 'billing' : 'rate_limit',
    message: `All credentials of ${provider} ${what}; '${first.entry.label}' is tried again in ${wait}. \`hermes auth reset ${provider}\` frees them at once.`,
  };
}

function explainEnded(all: readonly Member[], provider: string): NothingLeft | undefined {
  const [first] = all;
  if (first === undefined || !all.every(({ entry }) => isDead(entry))) return undefined;
  const { message, hint } = lost(first.entry, provider);
  return { kind: 'auth', message: `${message.replace(/\.$/, '')}. ${hint ?? ''}`.trim() };
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
