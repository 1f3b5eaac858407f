/** Certificate authorities that Node does not know by itself: of the system, and of files that the environment names. */
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';

/**
 * All that are trusted. Reading the system's takes a while, so it is done once a connection was refused without them; a
 * file that cannot be read is passed over, as the refusal of the certificate is what the user then sees.
 */
export function allAuthorities(files: readonly string[]): string[] {
  const named = files.flatMap((file) => {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      // Not there, or not to be read: the connection says which certificate is not trusted.
      return [];
    }
  });
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...named])];
}

/** What a certificate is refused with when nobody known has signed it. */
export const untrusted: ReadonlySet<string | undefined> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
