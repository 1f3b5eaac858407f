/** The session store of a home while this server runs: opened when it is first needed, and again when it was replaced. */
import { statSync } from 'node:fs';
import { openSessionStore, storeOf } from '../../../sessions/open-store.ts';
import type { SessionStore } from '../../../sessions/session-store.ts';

interface Opened {
  /** Of the file. */
  readonly identity: string;
  readonly store: Promise<SessionStore>;
}

export class StoreAtHand {
  readonly #homePath: string;
  readonly #tell: (line: string) => void;
  #opened: Opened | undefined;

  /** `tell` takes a line for the person. */
  constructor(homePath: string, tell: (line: string) => void) {
    this.#homePath = homePath;
    this.#tell = tell;
  }

  /** Undefined while there is none yet. Rejects with a `UserError` when it cannot be used. */
  async use<T>(work: (store: SessionStore) => Promise<T>): Promise<T | undefined> {
    const location = storeOf(this.#homePath);
    const found = statSync(location.path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const identity = `${found.dev}:${found.ino}`;
    if (this.#opened?.identity !== identity) {
      await this.close();
      const store = openSessionStore(location, { forReading: 'if it must be', tell: this.#tell });
      this.#opened = { identity, store };
      store.catch(() => {
        // It is tried again with the next call.
        this.#opened = undefined;
      });
    }
    return await work(await this.#opened.store);
  }

  /** Changes whenever somebody has written to it; the empty string while there is none. */
  mark(): string {
    const { path } = storeOf(this.#homePath);
    return [path, `${path}-wal`]
      .flatMap((file) => statSync(file, { throwIfNoEntry: false }) ?? [])
      .map(({ ino, mtimeMs, size }) => `${ino}:${mtimeMs}:${size}`)
      .join(' ');
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.store.then(
      (store) => store.close(),
      () => undefined,
    );
  }
}
