/** The configured model and the session store, for work outside of a conversation. */
import type { ModelRoute } from '../llm/protocol.ts';
import { openModelAccess, type ModelAccess } from './model-access.ts';
import { openStore } from './open-store.ts';
import type { OpenedStore, ProgramOptions } from './program-options.ts';

export interface Outside {
  readonly models: ModelAccess;
  readonly store: OpenedStore['store'];
  readonly route: ModelRoute;
}

/** Gives what `build` makes of them; `close` ends the models and the store. Throws `UserError` when no model is set up. */
export async function openOutside<T>(
  options: Pick<ProgramOptions, 'home' | 'env' | 'config'>,
  build: (outside: Outside) => T | Promise<T>,
): Promise<{ readonly made: T; readonly close: () => Promise<void> }> {
  const models = await openModelAccess(options);
  const { store } = await openStore(options.home);
  const close = async (): Promise<void> => {
    await models.close();
    await store?.close();
  };
  try {
    return { made: await build({ models, store, route: await models.resolve({}) }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
