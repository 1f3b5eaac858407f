/** Models for small requests outside of a conversation, such as describing a profile. */
import type { SideModels } from '../llm/side-task.ts';
import { noLog } from '../lib/log.ts';
import { openOutside } from './open-outside.ts';
import type { ProgramOptions } from './program-options.ts';
import { SessionBooks } from './session-books.ts';
import { SessionSideModels } from './session-side.ts';

export interface SideModelsOptions extends Pick<ProgramOptions, 'home' | 'env' | 'config' | 'log'> {
  /** Told one line when another model than the configured one answers. */
  readonly onWarning: (line: string) => void;
}

/** Throws `UserError` when no model is set up. `close` ends what was opened. */
export async function openSideModels(
  options: SideModelsOptions,
): Promise<{ readonly side: SideModels; close(): Promise<void> }> {
  const { config, log = noLog, onWarning } = options;
  const { made, close } = await openOutside(options, ({ models, store, route }) => {
    const parts = { config, models, store, log };
    const books = new SessionBooks(parts, () => 'outside');
    return new SessionSideModels({ parts, books, route: () => route, warn: onWarning });
  });
  return { side: made, close };
}
