/** The keys that the kernel keeps for a login (keyrings(7)): programs inherit the way to them, and namespaces do not part it. */
import { arch } from 'node:process';

/** The number of keyctl(2), by Node's names of machines. */
const keyctl: Readonly<Record<string, number>> = {
  x64: 250,
  arm64: 219,
  riscv64: 219,
  loong64: 219,
  ia32: 288,
  arm: 311,
  ppc64: 271,
  s390x: 280,
};
/** KEYCTL_JOIN_SESSION_KEYRING without a name. Where the kernel has no keyrings, there are no keys to keep away. */
const joins = 1;

/**
 * Words in front of a program that give it an empty keyring in the place of the person's. Nothing but perl is on every
 * system and can ask for it; without perl there are none.
 */
export function withoutKeyring(perl: string | undefined): readonly string[] {
  const number = keyctl[arch];
  if (perl === undefined || number === undefined) return [];
  return [perl, '-e', `syscall(${number}, ${joins}, 0); exec { $ARGV[0] } @ARGV or exit 127`, '--'];
}

/** perl would complain of a locale that the system does not have, in the output of a command that does not care. */
export const quietPerl: Readonly<Record<string, string>> = { PERL_BADLANG: '0' };
