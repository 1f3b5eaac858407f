/** How the web tools say that an address must not be asked. */
import type { UserError } from '../../lib/errors.ts';
import { NotAsked } from './outbound.ts';

/** Models know the first words from the original. */
export function refusalWords(error: UserError): string {
  const isPrivate = error instanceof NotAsked && error.isPrivate;
  return isPrivate ? `Blocked: URL targets a private or internal network address. ${error.message}` : error.message;
}
