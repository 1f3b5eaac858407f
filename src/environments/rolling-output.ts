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
    // Whole pieces go: joining and cutting with every one of them would make garbage faster than it is collected.
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= this.#limit) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
    }
    if (this.#chunks.length >= maxChunks) this.#compact();
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

/** Many tiny pieces would cost more memory than their text. */
const maxChunks = 4096;
