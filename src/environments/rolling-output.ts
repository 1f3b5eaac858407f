/** The last part of an endless output, for background processes. */

/** Keeps the newest `limit` characters of what was pushed. */
export class RollingOutput {
  readonly #limit: number;
  #chunks: string[] = [];
  #length = 0;

  /** @param limit characters kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(text: string): void {
    this.#chunks.push(text);
    this.#length += text.length;
    if (this.#length > this.#limit * 2 || this.#chunks.length >= 4096) this.#compact();
  }

  /** The newest `chars` characters, by default all that is kept. */
  tail(chars: number = this.#limit): string {
    this.#compact();
    return (this.#chunks[0] ?? '').slice(-Math.min(chars, this.#limit));
  }

  #compact(): void {
    const text = this.#chunks.join('').slice(-this.#limit);
    this.#chunks = [text];
    this.#length = text.length;
  }
}
