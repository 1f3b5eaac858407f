/** The session that `-r` or `-c` names. */
import { UserError } from '../../lib/errors.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { ChatOptions } from './options.ts';

export function asksForSession(options: ChatOptions): boolean {
  return options.resume !== undefined || options.continue !== undefined;
}

/** Throws when it was named and does not exist: nothing is created silently. */
export async function findSession(
  store: SessionStore | undefined,
  options: ChatOptions,
): Promise<SessionRow | undefined> {
  const hint = "'hermes sessions list' shows what there is.";
  const reference = options.resume ?? (typeof options.continue === 'string' ? options.continue : undefined);
  if (reference !== undefined) {
    const found = await store?.sessions.resolve(reference);
    if (found !== undefined) return found;
    throw new UserError(
      options.resume === undefined ? `No session found matching '${reference}'.` : `Session not found: ${reference}`,
      { hint },
    );
  }
  if (options.continue !== true) return undefined;
  const latest = await store?.sessions.latest('cli');
  if (latest === undefined) throw new UserError('No previous CLI session found to continue.', { hint });
  return latest;
}
