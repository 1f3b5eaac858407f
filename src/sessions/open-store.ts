/** Opens the session store: the one place that knows which stores there are. */
import { join } from 'node:path';
import type { SessionStore, StoreOptions } from './session-store.ts';

/** Which store, and where it is. */
export interface StoreLocation {
  readonly kind: keyof typeof stores;
  /** A file; `:memory:` keeps nothing. */
  readonly path: string;
}

type Open = (path: string, options: StoreOptions) => Promise<SessionStore>;

/** Loaded when it is opened, so that a command without a store does not wait for a driver. */
const stores = {
  sqlite: async (): Promise<Open> => (await import('./sqlite/open.ts')).openSqliteSessionStore,
} satisfies Record<string, () => Promise<Open>>;

/** Where the conversations of a home are kept. */
export function storeOf(home: string): StoreLocation {
  return { kind: 'sqlite', path: join(home, 'state.db') };
}

/**
 * Opens the store, and makes it when it is not there yet. Throws a `UserError` that names the place when it cannot be
 * used; nothing was changed then.
 *
 * @example
 * const store = await openSessionStore(storeOf(home.path), { forWriting: true });
 */
export async function openSessionStore(location: StoreLocation, options: StoreOptions = {}): Promise<SessionStore> {
  const open = await stores[location.kind]();
  return await open(location.path, options);
}
