/** How values of environment variables are read: booleans, placeholders, and which names hold secrets. */

const TRUE_WORDS = new Set(['1', 'true', 'yes', 'on']);
const FALSE_WORDS = new Set(['0', 'false', 'no', 'off', '']);
const PLACEHOLDERS = new Set(
  'changeme change_me none null undefined placeholder todo dummy api_key insert_key_here'.split(' '),
);

/** True or false for `1 true yes on` / `0 false no off` and empty in any case; `undefined` for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

/** True only when the variable is set to one of the true words. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && parseBoolean(text) === true;
}

/** True for what stands in example files instead of a key (`***`, `your_api_key`, `${KEY}`, under four characters). */
export function isPlaceholder(value: string): boolean {
  const text = value.trim().toLowerCase().replaceAll('-', '_');
  if (text.length < 4 || PLACEHOLDERS.has(text)) return true;
  return (
    /^(?:<.*>|\$\{[^}]*\})$/.test(text) || /^your[_ ].*(key|token|secret|here)/.test(text) || /^[*x.]+$/.test(text)
  );
}

/** True when a variable or configuration key of this name holds something that must not be shown. */
export function isSecretName(name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1).toUpperCase();
  if (/(^|_)(MAX|MIN|CONTEXT|TTL|LIMIT)(_|$)/.test(last)) return false;
  return /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|CREDENTIALS?|AUTHORIZATION|COOKIE|PASSWORD_HASH|HEADERS|SERVICE_ACCOUNT_JSON)$/.test(
    last,
  );
}

/** `sk-o...f9x2`: the first and last four characters, or `***` for anything short. */
export function maskSecret(value: string): string {
  return value.length < 12 ? '***' : `${value.slice(0, 4)}...${value.slice(-4)}`;
}

/** A URL without the user name and password in it. */
export function withoutUserInfo(url: string): string {
  return url.replaceAll(/\/\/[^/@\s]*@/g, '//***@');
}

/** A name the shell can carry. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
