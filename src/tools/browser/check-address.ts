/** Addresses that carry a key: who opens them hands it to the server, its logs, and everybody it links to. */
import { createRedactor } from '../../safety/redact.ts';
import { refuseWebAddress } from '../../safety/web-address.ts';

const credentials = new Set(
  [
    'access_token api_key apikey auth_token authorization awsaccesskeyid client_secret credential credentials jwt password',
    'passwd secret session_id signature token x_amz_security_token x_amz_signature',
  ].flatMap((names) => names.split(' ')),
);

/** Why an address is never opened in a browser; undefined when it may be as far as can be told without looking up names. */
export function refusedAddress(url: URL): string | undefined {
  const refusal = refuseWebAddress(url.href, { allowPrivate: true });
  if (refusal !== undefined) return refusal;
  for (const [name, value] of url.searchParams) {
    if (value !== '' && credentials.has(name.toLowerCase().replaceAll('-', '_'))) {
      return `the address carries a credential in its parameter '${name}'`;
    }
  }
  const text = decoded(url.href);
  return createRedactor({ enabled: true })(text) === text ? undefined : 'the address carries what looks like a key';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: it is looked at as it stands.
    return text;
  }
}
