/** The files and folders that `@` offers: listed once, kept for a while, renewed beside the typing. */
import type { Log } from '../../lib/log.ts';
import { type Entry, withFolders } from '../../references/list-files.ts';

/** What is older is shown once more while it is renewed, in milliseconds. */
const freshMs = 10_000;
/** Entries beyond are left out. */
const maxEntries = 50_000;
/** A folder that takes longer is not offered. */
const listMs = 6000;

export class WorkspaceFiles {
  readonly #list: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly #log: Log;
  #entries: readonly Entry[] | undefined;
  #listedAt = -Infinity;
  #listing: Promise<void> | undefined;

  constructor(list: (signal: AbortSignal) => Promise<readonly string[]>, log: Log) {
    this.#list = list;
    this.#log = log;
  }

  /** Empty when `signal` aborts first or the folder cannot be listed. The listing goes on for the next one who asks. */
  async entries(signal: AbortSignal): Promise<readonly Entry[]> {
    if (Date.now() - this.#listedAt > freshMs) this.#listing ??= this.#renew();
    if (this.#entries === undefined) await Promise.race([this.#listing, aborted(signal)]);
    return signal.aborted ? [] : (this.#entries ?? []);
  }

  async #renew(): Promise<void> {
    try {
      this.#entries = withFolders(await this.#list(AbortSignal.timeout(listMs))).slice(0, maxEntries);
    } catch (error) {
      this.#log.warning('the files for @ could not be listed', error);
    } finally {
      this.#listedAt = Date.now();
      this.#listing = undefined;
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
