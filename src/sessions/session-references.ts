/** From what a person types to one session: the rules that every store shares. */
import { UserError } from '../lib/errors.ts';
import type { SessionRow } from './sessions.ts';

/** More ids than this are not named in an error. */
const MAX_NAMED = 5;

/** A store looks for one match more than an error names. */
export const MAX_MATCHES = MAX_NAMED + 1;

/** The error for the beginning of several ids. */
export function ambiguousReference(reference: string, matches: readonly SessionRow[]): UserError {
  const named = matches.slice(0, MAX_NAMED).map((row) => row.id);
  const list = matches.length > named.length ? `${named.join(', ')}, …` : named.join(', ');
  return new UserError(`Session '${reference}' is ambiguous: it is the beginning of ${list}.`, {
    hint: 'Give more characters of the id.',
  });
}

/** The error for a session that is not there, or no longer. */
export function missingSession(id: string): UserError {
  return new UserError(`Session '${id}' not found.`, {
    hint: 'It was deleted meanwhile; `hermes sessions list` shows what is there.',
  });
}
