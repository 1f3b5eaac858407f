/** Keeps many processes together from flooding a conversation with matches. */

const windowMs = 10_000;
const mostInWindow = 15;
const silenceMs = 30_000;

export class FloodGuard {
  #windowStart = Number.NEGATIVE_INFINITY;
  #inWindow = 0;
  #silentUntil: number | undefined;
  #dropped = 0;

  /**
   * Whether one more match may be told now. After 15 in 10 seconds there is silence for 30; `news` says that it begins,
   * or how much was left out in it.
   * @param now milliseconds of a clock that never goes back
   */
  admit(now: number): { readonly admitted: boolean; readonly news?: string } {
    const released = this.#release(now);
    if (this.#silentUntil !== undefined) {
      this.#dropped++;
      return { admitted: false };
    }
    if (now - this.#windowStart >= windowMs) {
      this.#windowStart = now;
      this.#inWindow = 0;
    }
    if (this.#inWindow >= mostInWindow) {
      this.#silentUntil = now + silenceMs;
      this.#dropped = 1;
      const news = `Watched patterns match too often: nothing more is told of them for ${silenceMs / 1000} seconds.`;
      return { admitted: false, news };
    }
    this.#inWindow++;
    return { admitted: true, ...released };
  }

  #release(now: number): { readonly news?: string } {
    if (this.#silentUntil === undefined || now < this.#silentUntil) return {};
    this.#silentUntil = undefined;
    this.#windowStart = Number.NEGATIVE_INFINITY;
    return { news: `Watched patterns are told of again; ${this.#dropped} matches were left out.` };
  }
}
