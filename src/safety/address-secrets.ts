/** Secrets in a web address: whoever asks for it sends them along. */
import { issuedKey } from '../lib/secrets.ts';

const credentialNames: ReadonlySet<string> = new Set(
  `access_token api_key apikey auth_token authorization awsaccesskeyid client_secret credential credentials jwt password
  passwd secret session_id signature token x_amz_security_token x_amz_signature`.split(/\s+/),
);

/**
 * What a web address carries that must not be sent: a parameter that holds a credential by its name, a key by its shape, or
 * a value that `redact` masks. In words, without the value; undefined when there is nothing.
 */
export function secretInAddress(url: URL, redact: (text: string) => string): string | undefined {
  for (const [name, value] of url.searchParams) {
    if (value !== '' && credentialNames.has(name.toLowerCase().replaceAll('-', '_'))) return `the parameter '${name}'`;
  }
  return holdsKey(url.href) || redact(url.href) !== url.href ? 'what looks like a key' : undefined;
}

/** True for a text with a key in it, also one that is written with percent signs. */
export function holdsKey(text: string): boolean {
  return [text, decoded(text)].some((written) => written.search(issuedKey) >= 0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not written with percent signs throughout.
    return text;
  }
}
