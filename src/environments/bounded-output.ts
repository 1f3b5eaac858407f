/** Output that may be endless, kept in bounded memory: the first 40 % and the last 60 % of a limit. */

const headShare = 0.4;

/** Collects text up to a limit in characters; of a longer text head and tail survive. */
export class BoundedOutput {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  /** @param limit characters kept, at least 1 */
  constructor(limit: number) {
    const kept = Math.max(1, Math.floor(limit));
    this.#headLimit = Math.floor(kept * headShare);
    this.#tailLimit = kept - this.#headLimit;
  }

  /** Characters pushed so far, kept or not. */
  get totalChars(): number {
    return this.#total;
  }

  push(text: string): void {
    this.#total += text.length;
    const room = this.#headLimit - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest !== '') this.#pushTail(rest);
  }

  /** Everything when it fitted, else head and tail around a notice that counts what is missing. */
  text(): string {
    const tail = this.#tail.join('').slice(-this.#tailLimit);
    if (this.#head.length + tail.length === this.#total) return this.#head + tail;
    const head = withoutHalfPair(this.#head);
    const whole = withoutHalfPairInFront(tail);
    return `${head}\n\n${truncationNotice(this.#total - head.length - whole.length, this.#total)}\n\n${whole}`;
  }

  #pushTail(text: string): void {
    this.#tail.push(text);
    this.#tailLength += text.length;
    while (this.#tail.length > 1) {
      const first = this.#tail[0] ?? '';
      if (this.#tailLength - first.length < this.#tailLimit) break;
      this.#tail.shift();
      this.#tailLength -= first.length;
    }
    // Many tiny chunks would cost more memory than their text.
    if (this.#tail.length < 4096) return;
    this.#tail = [this.#tail.join('').slice(-this.#tailLimit)];
    this.#tailLength = this.#tail[0]?.length ?? 0;
  }
}

/** A text cut to `limit` characters (40 % head, 60 % tail) plus a notice; shorter texts come back unchanged. */
export function truncateMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const output = new BoundedOutput(limit);
  output.push(text);
  return output.text();
}

function truncationNotice(omitted: number, total: number): string {
  return `... [OUTPUT TRUNCATED - ${omitted} chars omitted out of ${total} total] ...`;
}

function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

function withoutHalfPairInFront(text: string): string {
  const first = text.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? text.slice(1) : text;
}
