/** Reads what a token says of itself. */
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

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

/** When the token says that it ends, in seconds since 1970. */
export function expiryClaim(token: string): number | undefined {
  const ends = jwtClaims(token)?.['exp'];
  return typeof ends === 'number' && ends > 0 && ends < latest ? Math.floor(ends) : undefined;
}

/** Later than this nothing is known to end; it is not a time in seconds. */
const latest = 1e11;

/** The ChatGPT account that an access token of OpenAI is for; logins that other programs stored say it nowhere else. */
export function chatGptAccount(token: string): string | undefined {
  const claims = jwtClaims(token)?.['https://api.openai.com/auth'];
  const account = isJsonObject(claims) ? claims['chatgpt_account_id'] : undefined;
  return typeof account === 'string' && account !== '' ? account.slice(0, 200) : undefined;
}
