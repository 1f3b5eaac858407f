/** Cuts a stream into lines without joining what it has more than once. */

/** A binary resource of 50 MiB, as base64 in a message. */
const maxLineBytes = 72 * 1024 * 1024;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #maxBytes: number;
  #begun: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void, maxBytes = maxLineBytes) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  /** False once a line is longer than it may be; nothing is taken from then on. */
  push(piece: Buffer): boolean {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      const rest = piece.subarray(from, end);
      const line = this.#begun.length === 0 ? rest : Buffer.concat([...this.#begun, rest]);
      this.#begun = [];
      this.#bytes = 0;
      from = end + 1;
      this.#onLine(line.toString('utf8'));
    }
    if (from === piece.length) return true;
    this.#begun.push(piece.subarray(from));
    this.#bytes += piece.length - from;
    if (this.#bytes <= this.#maxBytes) return true;
    this.#begun = [];
    return false;
  }
}
