/** Addresses that are not opened, whoever asks for it. */
import { secretInAddress } from '../../safety/address-secrets.ts';
import { refuseWebAddress } from '../../safety/web-address.ts';

/**
 * Why an address is never opened in a browser; undefined when it may be as far as can be told without looking up names. One
 * that carries a key hands it to the server, its logs, and everybody it links to.
 */
export function refusedAddress(url: URL, redact: (text: string) => string): string | undefined {
  const refusal = refuseWebAddress(url.href, { allowPrivate: true });
  if (refusal !== undefined) return refusal;
  const secret = secretInAddress(url, redact);
  return secret === undefined ? undefined : `the address carries a secret, ${secret}`;
}
