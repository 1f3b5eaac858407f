/** What a secret looks like, what it is called, and how it is shortened: the only place that knows. */

/** `***` for values under 18 characters; otherwise the first six and the last four, so that a person can tell which it was. */
export function maskSecret(value: string): string {
  return value.length < 18 ? '***' : `${value.slice(0, 6)}...${value.slice(-4)}`;
}

/** True for what {@link maskSecret} returns: masking it again would lose what it still tells. */
export function isMasked(value: string): boolean {
  return value === '***' || /^.{6}\.\.\..{4}$/su.test(value);
}

const fillers: ReadonlySet<string> = new Set(
  'changeme change_me none null undefined placeholder example todo dummy api_key insert_key_here'.split(' '),
);

/** True for what stands in example files instead of a key (`***`, `your_api_key`, `${NAME}`), and below four characters. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim().toLowerCase().replaceAll('-', '_');
  if (text.length < 4 || fillers.has(text)) return true;
  return /^<.*>$|^\$\{[^}]*\}$|^your[_ ].*(?:key|token|secret|here)|^[*x.]+$/.test(text);
}

/** The key without the spaces around it; undefined for what is only there to be filled in. */
export function usableSecret(value: string | undefined): string | undefined {
  const key = value?.trim() ?? '';
  return isPlaceholder(key) ? undefined : key;
}

/** `AUTH` alone is not one: `SSH_AUTH_SOCK` and `GIT_AUTHOR_NAME` are no secrets. */
const secretWords = /(?:^|_)(?:API_?KEYS?|TOKEN|SECRETS?|CREDENTIALS?)(?:_|$)|PASSWORD|PASSWD|PRIVATE_KEY|ACCESS_KEY/;
const secretEndings = /(?:^|_)(?:KEY|AUTHORIZATION|COOKIE|HEADERS|SERVICE_ACCOUNT_JSON)$/;
/** Amounts, addresses, switches and names of things, also of those that are secret. */
const settingWords =
  /(?:^|_)(?:MAX|MIN|CONTEXT|TTL|LIMIT)(?:_|$)|_(?:URL|HOST|PORT|MODE|ENABLED|USERS|PATH|FILE|DIR|ID|NAME|ENV|DOMAIN|SCHEME|MODEL|CHANNEL|CHANNELS|TIMEOUT|BUDGET|COUNT)$/;

/** True when a variable or a (dotted) configuration key of this name holds something that must not be shown. */
export function isSecretName(name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1).toUpperCase();
  return (secretWords.test(last) || secretEndings.test(last)) && !settingWords.test(last);
}

/** True when a variable of this name has to do with a secret, be it only the place or the name of one. */
export function mentionsSecret(name: string): boolean {
  return secretWords.test(name.toUpperCase());
}

/** What begins some ordinary names as well counts as a key only with a digit in it. */
const withDigit = String.raw`(?=[\w-]{0,200}\d)`;
/** A digit, or too many letters in a row for a name. */
const withDigitOrRun = String.raw`(?=[\w-]{0,200}\d|[A-Za-z]{16})`;

/**
 * The shapes that issuers give to their keys, between characters that belong to no word. Has the flag `g`: use it with
 * `replace`.
 */
export const issuedKey = new RegExp(
  `(?<![\\w-])(?:${[
    String.raw`sk-${withDigitOrRun}[\w-]{10,}`,
    String.raw`(?:sk_live_|sk_test_|rk_live_|gh[pousr]_|bb_live_|pplx-|dop_v1_|doo_v1_|xapp-\d-|tvly-|gsk_|syt_|ntn_)[A-Za-z0-9_-]{10,}`,
    String.raw`github_pat_\w{10,}`,
    String.raw`xox[baprs]-[\w-]{10,}`,
    String.raw`AIza[\w-]{30,}`,
    String.raw`(?:xai-|fw[-_]|fpk_)${withDigitOrRun}[\w-]{30,}`,
    String.raw`gAAAA[\w=-]{20,}`,
    String.raw`AKIA[A-Z0-9]{16}`,
    String.raw`SG\.[\w-]{10,}(?:\.[\w-]+)?`,
    String.raw`(?:hf_|r8_|npm_)[A-Za-z0-9]{10,}`,
    String.raw`pypi-${withDigitOrRun}[\w-]{10,}`,
    String.raw`(?:sk_|fal_|fc-|am_|exa_|hsk-|mem0_|brv_|retaindb_)${withDigit}[\w-]{10,}`,
    String.raw`eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?`,
  ].join('|')})(?![\\w-])`,
  'g',
);

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
