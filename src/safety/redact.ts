/** Keeps secrets out of text that models, people and logs see: by the values known here, and by what secrets look like. */
import { isMasked, issuedKey, maskSecret } from '../lib/secrets.ts';
import { redactPrivateKeys } from './private-keys.ts';

export interface RedactorOptions {
  /** `security.redact_secrets`, read once at start. */
  readonly enabled: boolean;
  /** Values that are known to be secret, for example those of key variables. */
  readonly secretValues?: readonly string[];
}

export type Redactor = (text: string) => string;

/** A net for accidents, not containment. Runs in linear time; redacting twice changes nothing more. */
export function createRedactor(options: RedactorOptions): Redactor {
  if (!options.enabled) return (text) => text;
  const values = worthMasking(options.secretValues ?? []);
  return (text) => {
    let result = text;
    // A mask can join with what stands around it to something that looks like a secret again; few texts need a third pass.
    for (let pass = 0; pass < maxPasses; pass++) {
      const next = redactPatterns(redactValues(result, values));
      if (next === result) break;
      result = next;
    }
    return result;
  };
}

const maxPasses = 8;

/** Shorter values are too likely to stand in text for something else. */
const minSecretChars = 8;
const commonWords = new Set(
  'password changeme username localhost postgres administrator disabled undefined required anonymous'.split(' '),
);

/** Longest first, so that a value that contains another one is masked whole. Common words are left alone. */
function worthMasking(values: readonly string[]): string[] {
  const written = values.flatMap((value) => [value, encodeForUrl(value), JSON.stringify(value).slice(1, -1)]);
  return [...new Set(written)]
    .filter((value) => value.length >= minSecretChars && !isMasked(value) && !looksOrdinary(value))
    .sort((left, right) => right.length - left.length);
}

/** A plain short word, a number, a switch: text would become unreadable without any gain. */
function looksOrdinary(value: string): boolean {
  return commonWords.has(value.toLowerCase()) || /^(?:[a-z]{1,11}|\d{1,9}|[*.\s]+)$/i.test(value);
}

function encodeForUrl(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

function redactValues(text: string, values: readonly string[]): string {
  let result = text;
  for (const value of values) {
    if (result.includes(value)) result = result.replaceAll(value, () => maskSecret(value));
  }
  return result;
}

const secretWord = 'API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR)';
/** `NAME=value` as in a shell or an `.env` file, and `NAME = "value"`. Capitals only: `token=token` is code. */
const namedValue = new RegExp(
  String.raw`(?<![A-Z0-9_])([A-Z0-9_]{0,64}?(?:${secretWord})[A-Z0-9_]{0,64})(=|[ \t]{1,4}=[ \t]{0,4}(?=["']))("[^"\n]{1,4096}"|'[^'\n]{1,4096}'|[^\s"'` +
    '`' +
    String.raw`]{1,4096})`,
  'g',
);
/** The same in small letters, where only something that cannot be an identifier counts as a value. */
const lowerNamedValue =
  /(?<![\w-])((?:--)?[a-z0-9_-]{0,40}?(?:api_?key|api-key|_token|-token|secret|password|passwd|(?<=[?&])token)=)(?=[^\s"'&;,)]{0,200}\d)([\w.~+/=$!%^*-]{8,512})(?=$|[\s"'&;,)])/g;

const jsonField =
  /("(?:apiKey|api_key|token|secret|password|access_token|refresh_token|auth_token|bearer|secret_value|raw_secret|secret_input|key_material)"\s{0,8}:\s{0,8}")((?:[^"\\\n]|\\[^\n]){1,4096})"/gi;
const authorization = /(Authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:Bearer|Basic|Token)\s{1,4})([^\s"'`]{1,4096})/gi;
const bearer = /(?<=\bBearer\s)(?=[^\s"'`]{0,200}\d)([\w.~+/=-]{16,4096})/g;
const telegramToken = /(?<!\d)(\d{8,20}):([\w-]{30,})/g;
const databasePassword =
  /((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/[^\s:/@"']{0,256}:)([^\s@"']{1,512})(?=@)/gi;
const urlPassword = /(:\/\/[^\s:/@"'<>]{1,256}:)([^\s@/"'<>]{1,512})(?=@)/g;
const phone = /(?<![\w+.-])\+([1-9]\d{7,14})(?![\w]|[.,]\d)/g;
/** In a diff every added line starts with `+`, also one that is a number. */
const diffMarks = /^(?:@@ |\+\+\+ )/m;

function redactPatterns(text: string): string {
  let result = text;
  if (result.includes('PRIVATE KEY')) result = redactPrivateKeys(result);
  if (result.includes('://')) {
    result = result.replace(databasePassword, maskUrlPassword).replace(urlPassword, maskUrlPassword);
  }
  if (result.includes('=')) {
    result = result
      .replace(namedValue, maskNamedValue)
      .replace(lowerNamedValue, (_all, head: string, value: string) => head + maskOnce(value));
  }
  if (result.includes('":') || result.includes('" :')) {
    result = result.replace(jsonField, (_all, head: string, value: string) => `${head}${maskOnce(value)}"`);
  }
  result = result
    .replace(authorization, (_all, head: string, value: string) => head + maskOnce(value))
    .replace(bearer, maskOnce)
    .replace(telegramToken, '$1:***')
    .replace(issuedKey, maskSecret);
  return result.includes('+') ? redactPhones(result) : result;
}

function maskOnce(value: string): string {
  return isMasked(value) ? value : maskSecret(value);
}

/** A reference to a variable is not the password itself. */
function maskUrlPassword(_all: string, head: string, password: string): string {
  return head + (/^[$<{]/.test(password) ? password : '***');
}

/** What stands after the `=` of a telling name and is still no secret. */
const plainValue =
  /^(?:\$.*|<.*|true|false|yes|no|on|off|none|null|undefined|process\.env\b.*|os\.(?:environ|getenv)\b.*|import\.meta\b.*)$/i;

function maskNamedValue(all: string, name: string, equals: string, written: string): string {
  const quote = /^["']/.exec(written)?.[0] ?? '';
  const value = quote === '' ? written : written.slice(1, -1);
  if (isMasked(value) || plainValue.test(value)) return all;
  if (name.endsWith('TOKENS') && /^\d{1,9}[\d.,]*$/.test(value)) return all;
  if (/(?:_SOCK|_FILE|_PATH|_DIR|CREDENTIALS)$/.test(name) && /^[~./]/.test(value)) return all;
  return `${name}${equals}${quote}${maskSecret(value)}${quote}`;
}

function redactPhones(text: string): string {
  const isDiff = diffMarks.test(text);
  return text.replace(phone, (all: string, digits: string, at: number) => {
    if (isDiff && (at === 0 || text[at - 1] === '\n')) return all;
    return digits.length <= 8 ? `${all.slice(0, 2)}****${all.slice(-2)}` : `${all.slice(0, 4)}****${all.slice(-4)}`;
  });
}
