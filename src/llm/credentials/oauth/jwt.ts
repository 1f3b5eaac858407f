/** Reads what a token says of itself. */
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';

/**
 * The claims of a JSON web token, or undefined for what is none. Nothing is verified: only for tokens that came from
 * their issuer over TLS, and never to decide what somebody may do.
 */
export function jwtClaims(token: string): JsonObject | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const claims = parseJson(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
  return isJsonObject(claims) ? claims : undefined;
}
