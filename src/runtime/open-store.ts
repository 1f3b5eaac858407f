/** Opens the session store of a home; a conversation must be possible without it. */
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

/** With the next step, as somebody whose conversations are gone has to know it at once. */
function reasonOf(error: unknown): string {
  const hint = error instanceof UserError ? error.hint : undefined;
  return hint === undefined ? errorMessage(error) : `${errorMessage(error)} ${hint}`;
}
