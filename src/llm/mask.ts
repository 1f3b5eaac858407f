/** Keeps credentials out of text that people, logs and models see. */

const prefixes =
  'sk-|sk_live_|sk_test_|rk_live_|ghp_|gho_|ghu_|github_pat_|xox[baprs]-|AIza|pplx-|fal_|fc-|bb_live_|gAAAA|AKIA|SG\\.|hf_|r8_|npm_|pypi-|dop_v1_|doo_v1_';
const knownKey = new RegExp(`(?<![\\w-])(?:${prefixes})[\\w.\\-/+=]{8,}`, 'g');
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
    if (secret.length >= minSecretChars) masked = masked.replaceAll(secret, maskOf(secret));
  }
  return masked
    .replace(knownKey, maskOf)
    .replace(bearer, '$1 ***')
    .replace(named, (_match, head: string) => `${head}***`);
}

function maskOf(secret: string): string {
  return secret.length < 18 ? '***' : `${secret.slice(0, 6)}...${secret.slice(-4)}`;
}
