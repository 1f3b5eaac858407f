/** Finds a shell's reports in the stream of its output. */
import { reportFrame } from './shell-text.ts';

export type Scanned =
  | { readonly kind: 'output'; readonly bytes: Buffer }
  /** `last`: the shell is ending. */
  | { readonly kind: 'report'; readonly status: number; readonly cwd: string; readonly last: boolean };

/** A report holds a number and a path. What is longer was torn apart by another writer. */
const maxReportBytes = 64 * 1024;

/** Splits chunks into output and reports. Holds back only bytes that may be the start of a report. */
export class ReportScanner {
  readonly #start: Buffer;
  readonly #end: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(secret: string) {
    const frame = reportFrame(secret);
    this.#start = frame.start;
    this.#end = frame.end;
  }

  push(chunk: Buffer): Scanned[] {
    const found: Scanned[] = [];
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (rest.length > 0) {
      const start = rest.indexOf(this.#start);
      const outputEnd = start === -1 ? rest.length - this.#beginnings(rest) : start;
      if (outputEnd > 0) found.push({ kind: 'output', bytes: rest.subarray(0, outputEnd) });
      if (start === -1) {
        this.#held = Buffer.from(rest.subarray(outputEnd));
        break;
      }
      const end = rest.indexOf(this.#end, start);
      if (end === -1) {
        this.#hold(rest.subarray(start), found);
        break;
      }
      const report = parseReport(rest.subarray(start + this.#start.length, end));
      if (report !== undefined) found.push(report);
      rest = rest.subarray(end + this.#end.length);
    }
    return found;
  }

  /** The bytes still held back, when no more will come. */
  flush(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  #hold(bytes: Buffer, found: Scanned[]): void {
    if (bytes.length <= maxReportBytes) this.#held = Buffer.from(bytes);
    else found.push({ kind: 'output', bytes });
  }

  /** How many bytes at the end may be the beginning of a frame. */
  #beginnings(bytes: Buffer): number {
    const index = bytes.lastIndexOf(0x1e);
    if (index === -1 || bytes.length - index >= this.#start.length) return 0;
    const tail = bytes.subarray(index);
    return tail.equals(this.#start.subarray(0, tail.length)) ? tail.length : 0;
  }
}

function parseReport(bytes: Buffer): Scanned | undefined {
  const [, kind, status, cwd] = /^([rx])(\d+)\0([^\0]*)$/.exec(bytes.toString('utf8')) ?? [];
  if (kind === undefined || status === undefined || cwd === undefined) return undefined;
  return { kind: 'report', status: Number(status), cwd, last: kind === 'x' };
}
