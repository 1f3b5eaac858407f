/** Opens the session store of a home; a conversation must be possible without it. */
import type { Home } from '../config/home.ts';
import { errorMessage } from '../lib/errors.ts';
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
      warnings: [`Session store unavailable: ${errorMessage(error)} This conversation is not saved.`],
    };
  }
}
