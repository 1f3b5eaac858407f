/** Keeps credentials out of text that people, logs and models see. */
import { issuedKey, maskSecret } from '../lib/secrets.ts';

/** With a digit in it: "bearer tokens are required" holds no secret. */
const bearer = /\b(bearer|basic)\s+(?=[^\s"']*\d)[\w.\-~+/=]{6,}/gi;
const named =
  /\b((?:api[-_]?key|(?:access|refresh|auth)[-_]?token|secret|password|token)["']?\s*[:=]\s*["']?)(?=[^\s"']*\d)[\w.\-~+/=]{8,}/gi;

/** Shorter values are common words as likely as secrets; blanking them would make messages unreadable. */
const minSecretChars = 8;

/**
 * The text with credentials masked: the given `secrets` wherever they stand, and whatever looks like a key. Long keys
 * keep their first six and last four characters, so that a person can tell which one it was.
 */
export function maskKeys(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= minSecretChars) masked = masked.replaceAll(secret, () => maskSecret(secret));
  }
  return masked
    .replace(issuedKey, maskSecret)
    .replace(bearer, '$1 ***')
    .replace(named, (_match, head: string) => `${head}***`);
}
