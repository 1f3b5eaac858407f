/** What a program prints, kept in bounded memory and counted in bytes. */

const headShare = 0.4;

/** Of more than the limit the first 40 % and the last 60 % are kept. */
export class KeptBytes {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #total = 0;

  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * headShare);
    this.#tailLimit = limit - this.#headLimit;
  }

  get total(): number {
    return this.#total;
  }

  get captured(): number {
    return this.#headBytes + Math.min(this.#tailBytes, this.#tailLimit);
  }

  get omitted(): number {
    return this.#total - this.captured;
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const room = this.#headLimit - this.#headBytes;
    const first = bytes.subarray(0, room);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    const rest = bytes.subarray(first.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // Many small pieces would cost more than their bytes.
    if (this.#tailBytes > this.#tailLimit * 2 || this.#tail.length > 4096) this.#trim();
  }

  text(): string {
    this.#trim();
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    if (this.omitted === 0) return Buffer.concat([head, tail]).toString('utf8');
    const notice = `... [OUTPUT TRUNCATED - ${this.omitted} bytes omitted out of ${this.#total} total] ...`;
    // A cut may go through the middle of a letter.
    return `${head.toString('utf8').replace(/\uFFFD+$/, '')}\n\n${notice}\n\n${tail.toString('utf8').replace(/^\uFFFD+/, '')}`;
  }

  #trim(): void {
    // A copy: the piece it was cut from may be much larger.
    const kept = Buffer.from(Buffer.concat(this.#tail).subarray(-this.#tailLimit));
    this.#tail = kept.length === 0 ? [] : [kept];
    this.#tailBytes = kept.length;
  }
}

/** The first bytes of an output; the rest is dropped. */
export class FirstBytes {
  readonly #limit: number;
  readonly #pieces: Uint8Array[] = [];
  #kept = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(bytes: Uint8Array): void {
    const piece = bytes.subarray(0, this.#limit - this.#kept);
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  text(): string {
    return Buffer.concat(this.#pieces)
      .toString('utf8')
      .replace(/\uFFFD+$/, '');
  }
}
