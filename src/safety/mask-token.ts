/** The one way in which a secret is shortened when it has to be shown. */

/** `***` for values under 18 characters; otherwise the first six and the last four, so that a person can tell which it was. */
export function maskToken(value: string): string {
  return value.length < 18 ? '***' : `${value.slice(0, 6)}...${value.slice(-4)}`;
}

/** True for what {@link maskToken} returns: masking it again would lose what it still tells. */
export function isMasked(value: string): boolean {
  return value === '***' || /^.{6}\.\.\..{4}$/su.test(value);
}
