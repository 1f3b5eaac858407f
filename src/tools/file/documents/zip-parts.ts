/** The parts of a document that is a zip archive, unpacked while they are read and within a bound. */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

/** Of all parts together: an archive of a few kilobytes can hold gigabytes. */
const maxUnpackedBytes = 400 * 1024 * 1024;
const maxParts = 20_000;

export class ZipParts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left: number;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, maxBytes: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#left = maxBytes;
  }

  /** Throws when it is no archive. `maxBytes` bounds what is unpacked of all parts together. */
  static async open(bytes: Uint8Array, maxBytes = maxUnpackedBytes): Promise<ZipParts> {
    const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, validateEntrySizes: true });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      entries.set(entry.fileName.toLowerCase(), entry);
      if (entries.size >= maxParts) break;
    }
    return new ZipParts(zip, entries, maxBytes);
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Throws when there is no such part, and when more was unpacked than is bearable. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new Error(`the part ${name} is missing`);
    if (entry.isEncrypted()) throw new Error('it is encrypted');
    for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
      if (!(chunk instanceof Buffer)) continue;
      this.#left -= chunk.length;
      if (this.#left < 0) throw new Error('it unpacks to too much');
      yield chunk;
    }
  }
}
