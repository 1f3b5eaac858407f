/** Opens the session store of a home; a conversation must be possible without it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../config/home.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { openSessionStore, storeOf } from '../sessions/open-store.ts';
import type { OpenedStore } from './program-options.ts';

/** Never throws. */
export async function openStore(home: Home): Promise<OpenedStore> {
  const warnings: string[] = [];
  try {
    const tell = (line: string): void => void warnings.push(line);
    return { store: await openSessionStore(storeOf(home.path), { forWriting: true, tell }), warnings };
  } catch (error) {
    return {
      store: undefined,
      warnings: [`Session store unavailable: ${reasonOf(error)} This conversation is not saved.`],
    };
  }
}

/**
 * The same for work that must not wait for long: with a limit above 0, a store that is not open by then is none. Whoever has
 * it locked ends this time; the next one finds it open.
 */
export async function openStoreWithin(home: Home, limitMs: number): Promise<OpenedStore> {
  const opening = openStore(home);
  if (limitMs <= 0) return await opening;
  const inTime = new AbortController();
  const tooLate = sleep(limitMs, undefined, { signal: inTime.signal }).catch(() => undefined);
  const opened = await Promise.race([opening, tooLate]);
  inTime.abort();
  if (opened !== undefined) return opened;
  void opening.then(async ({ store }) => await store?.close()).catch(() => undefined);
  const line = `Session store unavailable: it was not open within ${limitMs / 1000} s. This conversation is not saved.`;
  return { store: undefined, warnings: [line] };
}

/** With the next step, as somebody whose conversations are gone has to know it at once. */
function reasonOf(error: unknown): string {
  const hint = error instanceof UserError ? error.hint : undefined;
  return hint === undefined ? errorMessage(error) : `${errorMessage(error)} ${hint}`;
}
