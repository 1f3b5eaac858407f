/** Call ids that Anthropic takes, made of ids from anywhere. */

const maxIdChars = 64;

/**
 * Gives every call of a request an id of its own out of letters, digits, `_` and `-`. The id of a call depends on
 * the calls before it only, so that a growing conversation keeps its prefix.
 */
export class WireIds {
  readonly #used = new Set<string>();

  next(id: string): string {
    const clean = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxIdChars) || 'call';
    let free = clean;
    for (let copy = 2; this.#used.has(free); copy += 1) {
      const suffix = `_${copy}`;
      free = clean.slice(0, maxIdChars - suffix.length) + suffix;
    }
    this.#used.add(free);
    return free;
  }
}
