/** The key of a listener: compared so that the time it takes tells nothing. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpError } from './answers.ts';

/** Where the key is found; asked for each request, so that a new one counts at once. */
export interface CallerKey {
  /** Undefined while there is none that could be used: then nobody is let in. */
  current(): Promise<string | undefined>;
  /** Another key that opens the same. */
  readonly also?: CallerKey;
}

/** Throws `HttpError` unless the header carries the key. */
export async function requireKey(authorization: string | null, key: CallerKey): Promise<void> {
  const [, given] = /^bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  for (let each: CallerKey | undefined = key; each !== undefined; each = each.also) {
    const expected = await each.current();
    if (expected !== undefined && given !== undefined && sameSecret(given.trim(), expected)) return;
  }
  throw new HttpError(401, 'Invalid API key', { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } });
}

/** Both as digests: of one length, whatever was sent. A header comes as its bytes, one character each. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(Buffer.from(given, 'latin1')), digest(Buffer.from(expected)));
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
