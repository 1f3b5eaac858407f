/** What a process knows of a credential beyond what is stored: logins of other programs, and notes that failed to be written. */
import type { JsonObject } from '../lib/json.ts';
import type { Member } from './pool-members.ts';
import type { RenewedLogin } from './refresh-login.ts';

export interface Overlay {
  /** The stored secret that this is about; it is void once another one is stored. */
  readonly of: string;
  readonly renewed?: RenewedLogin;
  readonly fields?: JsonObject;
}

/** The member with what else is known of it. */
export function overlaid(member: Member, overlay: Overlay | undefined): Member {
  if (overlay === undefined || overlay.of !== member.secret) return member;
  const { fields, renewed } = overlay;
  const entry = fields === undefined ? member.entry : { ...member.entry, ...fields };
  if (renewed === undefined) return { ...member, entry };
  const { accessToken, refreshToken = member.refreshToken, expiresAt } = renewed;
  return { ...member, entry, secret: accessToken, refreshToken, expiresAt };
}
