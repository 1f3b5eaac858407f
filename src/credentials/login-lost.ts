/** The end of a login that no further attempt can repair. */
import { UserError } from '../lib/errors.ts';

/**
 * The provider will not renew this login again (`invalid_grant`, a revoked or reused refresh token): the person has
 * to log in anew. The message is one line without a secret; `hint` says how to log in.
 */
export class LoginLost extends UserError {
  override readonly name = 'LoginLost';
}
