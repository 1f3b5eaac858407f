/** Checks that the audit log is whole: that no line was changed, removed, added or cut off. */
import * as z from 'zod';
import { beginning, type ChainLine, type Link, readLine, sha256 } from './chain.ts';
import { openSnapshot, type RawLine, type Snapshot } from './snapshot.ts';

export interface Verification {
  /** Lines that hold on to each other. */
  readonly entries: number;
  /** Where the chain ends; undefined when nothing was ever written. */
  readonly end: Link | undefined;
  /** What somebody changed or removed; the log is whole when there is none. */
  readonly problems: readonly string[];
  /** What has an honest cause too, such as a process that was killed. */
  readonly notes: readonly string[];
}

/** Reads every line of every file. Throws the errors of the file system when they are not readable. */
export async function verifyAuditLog(homePath: string): Promise<Verification> {
  const snapshot = await openSnapshot(homePath);
  try {
    const check = new ChainCheck(snapshot.seal);
    for await (const line of snapshot.lines()) check.add(line);
    return check.result(snapshot);
  } finally {
    await snapshot.close();
  }
}

const resumed = z.object({
  kind: z.literal('resumed'),
  torn: z.object({ bytes: z.int(), sha256: z.string() }).optional(),
  seal: z.enum(['unsealed', 'missing', 'no seal']).optional(),
});
type Resumed = z.infer<typeof resumed>;

/** What is set aside is never more than the end of a file that a writer looks at. */
const maxStrayBytes = 1024 * 1024;
/** A file of another kind has as many problems as lines. */
const maxTold = 20;

interface Stray {
  /** The first of them. */
  readonly at: RawLine;
  readonly parts: Buffer[];
  bytes: number;
  lines: number;
}

class ChainCheck {
  readonly #seal: Snapshot['seal'];
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];
  #entries = 0;
  #last: ChainLine | undefined;
  /** Lines since the last good one that are none. */
  #stray: Stray | undefined;
  #untold = 0;

  constructor(seal: Snapshot['seal']) {
    this.#seal = seal;
  }

  add(raw: RawLine): void {
    const line = raw.ended ? readLine(raw.bytes) : undefined;
    if (line === undefined) return this.#addStray(raw);
    const said = resumed.safeParse(line.entry).data;
    if (this.#judgeStray(said)) this.#judgePlace(line, said);
    if (said !== undefined) this.#hear(line, said);
    if (typeof this.#seal === 'object' && line.seq === this.#seal.link.seq && line.hash !== this.#seal.link.hash) {
      this.#problem(`entry ${line.seq} is not the one that was sealed`);
    }
    this.#entries += 1;
    this.#last = line;
  }

  result({ begun }: Pick<Snapshot, 'begun'>): Verification {
    this.#judgeEnd();
    if (begun) this.#judgeSeal();
    if (this.#untold > 0) this.#problems.push(`and ${this.#untold} more`);
    const end = this.#last === undefined ? undefined : { seq: this.#last.seq, hash: this.#last.hash };
    return { entries: this.#entries, end, problems: this.#problems, notes: this.#notes };
  }

  #addStray(raw: RawLine): void {
    this.#stray ??= { at: raw, parts: [], bytes: 0, lines: 0 };
    this.#stray.lines += 1;
    if (this.#stray.bytes > maxStrayBytes) return;
    const bytes = raw.ended ? Buffer.concat([raw.bytes, Buffer.from('\n')]) : raw.bytes;
    this.#stray.parts.push(bytes);
    this.#stray.bytes += bytes.length;
  }

  /** Lines that are none, in front of a good one: a writer may have set them aside. False when they are a problem. */
  #judgeStray(said: Resumed | undefined): boolean {
    const stray = this.#stray;
    this.#stray = undefined;
    const torn = said?.torn;
    if (stray === undefined) {
      if (torn === undefined) return true;
      this.#problem(`a line that was set aside (${torn.bytes} bytes) is gone`);
      return false;
    }
    const bytes = Buffer.concat(stray.parts);
    const rest = torn === undefined ? undefined : bytes.toString('latin1', torn.bytes);
    const isTold = torn !== undefined && sha256(bytes.subarray(0, torn.bytes)) === torn.sha256;
    if (!isTold || (rest !== '' && rest !== '\n')) {
      this.#problem(`${placeOf(stray.at)}: ${count(stray.lines, 'line')} changed, or not written by this program`);
      return false;
    }
    this.#notes.push(`${placeOf(stray.at)}: a torn line was set aside: its writer was ended while it wrote`);
    return true;
  }

  #judgePlace({ seq, prev }: ChainLine, said: Resumed | undefined): void {
    const before = this.#last;
    if (before === undefined) {
      const first = typeof this.#seal === 'object' ? this.#seal.first : 1;
      if (seq > first) this.#problem(`entries ${first} to ${seq - 1} are missing at the beginning`);
      else if (seq === 1 && prev !== beginning.hash) this.#problem('entry 1 is not the beginning of a chain');
      return;
    }
    if (prev !== before.hash) this.#problem(`entry ${seq} does not follow from entry ${before.seq}`);
    else if (seq !== before.seq + 1 && said?.seal !== 'missing') {
      this.#problem(`entry ${before.seq} is followed by ${seq}`);
    }
  }

  #hear({ seq, entry }: ChainLine, { seal }: Resumed): void {
    const found = `found by entry ${seq}, ${typeof entry['time'] === 'string' ? entry['time'] : 'at no time'}`;
    if (seal === 'missing') {
      const last = this.#last?.seq ?? 0;
      const gone = last + 1 < seq ? `entries ${last + 1} to ${seq - 1} are missing` : `entry ${last} was put in place`;
      this.#problem(`${gone} (${found})`);
    } else if (seal === 'no seal') this.#problem(`the seal was missing or false (${found})`);
    else if (seal === 'unsealed') this.#notes.push(`the last entries had no seal yet (${found})`);
  }

  #judgeEnd(): void {
    const stray = this.#stray;
    if (stray === undefined) return;
    const torn = stray.lines === 1 && !stray.at.ended;
    if (torn) this.#notes.push(`${placeOf(stray.at)}: the last line is torn; the next writer sets it aside`);
    else this.#problem(`${placeOf(stray.at)}: ${count(stray.lines, 'line')} changed, or not written by this program`);
  }

  #judgeSeal(): void {
    if (this.#seal === 'none') return this.#problem('the seal is gone (logs/audit.seal)');
    if (this.#seal === 'false') return this.#problem('the seal was not made with the key of this home (audit.key)');
    const { seq } = this.#seal.link;
    const last = this.#last?.seq ?? 0;
    if (last < seq) this.#problem(`entries ${last + 1} to ${seq} are missing at the end`);
    else if (last > seq) {
      this.#notes.push(`${count(last - seq, 'entry', 'entries')} behind the seal: the writer was ended in between`);
    }
  }

  #problem(text: string): void {
    if (this.#problems.length < maxTold) this.#problems.push(text);
    else this.#untold += 1;
  }
}

function placeOf({ file, number }: RawLine): string {
  return `${file}:${number}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
