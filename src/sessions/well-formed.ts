/** Text that every store and reader can take: no lone surrogates, no NUL. */

/** Replaces each lone surrogate and each NUL by U+FFFD; other text comes back as it is. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** JSON text whose strings are all well-formed. */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? wellFormed(inner) : inner));
}
