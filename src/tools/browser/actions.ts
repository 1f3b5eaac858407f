/** Each kind of browser has its own way to do what the tools ask for. */
import type { Context } from './browse.ts';
import type { BrowserActions } from './browser-actions.ts';

/** Loaded with the first command. */
export async function actionsOf({ services }: Context): Promise<BrowserActions> {
  if (services.state.browser?.camofox !== undefined) return await import('./camofox/camofox-actions.ts');
  return (await import('./tab-actions.ts')).tabActions;
}
