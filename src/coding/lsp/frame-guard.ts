/** Stands before the reader of a server's messages, which believes every length it is told: refuses what is too much. */
import { Transform, type TransformCallback } from 'node:stream';

export interface FrameLimits {
  /** Of one message, in bytes. */
  readonly message: number;
  /** Of all messages since the last `refill`, in bytes. */
  readonly total: number;
}

const maxHeaderBytes = 2000;
const headerEnd = '\r\n\r\n';

/** Passes messages on unchanged; ends with an error at the first that is out of bounds, or is none. */
export class FrameGuard extends Transform {
  readonly #limits: FrameLimits;
  #header = '';
  /** Bytes of the present message that are still to come. */
  #left = 0;
  #total = 0;

  constructor(limits: FrameLimits) {
    super();
    this.#limits = limits;
  }

  /** We have asked something: there may be so much more. */
  refill(): void {
    this.#total = 0;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const problem = this.#problemOf(chunk);
    if (problem === undefined) done(null, chunk);
    else done(new Error(problem));
  }

  #problemOf(chunk: Buffer): string | undefined {
    this.#total += chunk.byteLength;
    if (this.#total > this.#limits.total) return `more than ${this.#limits.total} bytes without a question`;
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.byteLength - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      const before = this.#header.length;
      this.#header += chunk.toString('latin1', at, at + maxHeaderBytes + headerEnd.length - before);
      const end = this.#header.indexOf(headerEnd);
      if (end === -1) return this.#header.length > maxHeaderBytes ? 'something that is no message' : undefined;
      const length = /^content-length:[ \t]*(\d+)[ \t]*$/im.exec(this.#header.slice(0, end))?.[1];
      if (length === undefined) return 'a message without its length';
      if (Number(length) > this.#limits.message) return `a message of ${length} bytes`;
      at += end + headerEnd.length - before;
      this.#left = Number(length);
      this.#header = '';
    }
    return undefined;
  }
}
