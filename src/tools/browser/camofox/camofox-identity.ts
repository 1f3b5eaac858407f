/** As whom a Camofox server knows us: what it keeps, such as cookies, belongs to a user. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';

export interface CamofoxIdentity {
  readonly userId: string;
  /** Which of the tabs of this user are ours. */
  readonly sessionKey: string;
  /** What the user does stays on the server: logins, and open tabs. */
  readonly isKept: boolean;
}

export interface IdentitySettings {
  /** `browser.camofox.user_id`: a user that somebody else made. */
  readonly user_id: string;
  /** `browser.camofox.session_key` */
  readonly session_key: string;
  /** `browser.camofox.managed_persistence`: always the same user for a profile. */
  readonly managed_persistence: boolean;
}

const keyChars = 16;
const digestChars = 10;

/** The kept one is that of the original program, so that its logins stay. */
export function camofoxIdentity(settings: IdentitySettings, homePath: string, sessionId: string): CamofoxIdentity {
  const { user_id: named, session_key, managed_persistence: isKept } = settings;
  const plainKey = `task_${sessionId.slice(0, keyChars)}`;
  if (named.trim() !== '')
    return {
      userId: named.trim(),
      sessionKey: session_key.trim() === '' ? plainKey : session_key.trim(),
      isKept: true,
    };
  if (!isKept)
    return { userId: `hermes_${randomBytes(digestChars / 2).toString('hex')}`, sessionKey: plainKey, isKept };
  const scope = join(homePath, 'browser_auth', 'camofox');
  return {
    userId: `hermes_${nameDigest(`camofox-user:${scope}`).slice(0, digestChars)}`,
    sessionKey: `task_${nameDigest(`camofox-session:${scope}:${sessionId}`).slice(0, keyChars)}`,
    isKept,
  };
}

/** A UUID of version 5 in the space of addresses, without its dashes. https://www.rfc-editor.org/rfc/rfc9562#section-5.5 */
function nameDigest(name: string): string {
  const hash = createHash('sha1').update(addressSpace).update(name).digest().subarray(0, 16);
  hash[6] = (hash.readUInt8(6) & 0x0f) | 0x50;
  hash[8] = (hash.readUInt8(8) & 0x3f) | 0x80;
  return hash.toString('hex');
}

const addressSpace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
