/** The files that a server has been given, and what it has published of them. */
import * as z from 'zod';
import { type Diagnostic, readErrors } from './diagnostic.ts';

const maxOpen = 50;
/** Servers publish in parts; after so long without another part it is the whole. Those that know of versions are surer. */
const quietMs = { versioned: 150, unversioned: 400 };

const publication = z.object({
  uri: z.string(),
  version: z.number().nullish(),
  diagnostics: z.unknown(),
});

interface OpenDocument {
  version: number;
  isVersioned: boolean;
  /** Of this version. */
  published: readonly Diagnostic[] | undefined;
  /** Who waits for more of it. */
  heard: (() => void) | undefined;
}

export class OpenDocuments {
  readonly #documents = new Map<string, OpenDocument>();
  /** Never the same twice: servers remember what they made of a version of a file, also when it was closed since. */
  #version = 0;

  /** Returns the number of its version, and the paths that had to be closed for it. */
  open(path: string): { readonly version: number; readonly closed: readonly string[] } {
    const closed = [...this.#documents.keys()].slice(0, Math.max(0, this.#documents.size + 1 - maxOpen));
    for (const old of closed) this.#documents.delete(old);
    this.#version += 1;
    this.#documents.set(path, { version: this.#version, isVersioned: false, published: undefined, heard: undefined });
    return { version: this.#version, closed };
  }

  /** Returns the number of the new version; undefined when it is not open. */
  change(path: string): number | undefined {
    const document = this.#documents.get(path);
    if (document === undefined) return undefined;
    this.#version += 1;
    document.version = this.#version;
    document.published = undefined;
    return document.version;
  }

  /** False when it was not open. */
  close(path: string): boolean {
    return this.#documents.delete(path);
  }

  /** A notification of the server. */
  take(params: unknown, pathOf: (uri: string) => string | undefined): void {
    const { data } = publication.safeParse(params);
    const document = data === undefined ? undefined : this.#documents.get(pathOf(data.uri) ?? '');
    if (data === undefined || document === undefined) return;
    // Of an older version: its lines are no longer those of the file.
    if (typeof data.version === 'number' && data.version < document.version) return;
    document.isVersioned = typeof data.version === 'number';
    document.published = readErrors(data.diagnostics);
    document.heard?.();
  }

  /** What is published of the present version, once nothing more comes. Rejects when `signal` aborts before. */
  async published(path: string, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const document = this.#documents.get(path);
    if (document === undefined) throw new Error(`${path} is not open`);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Diagnostic[]>();
    let quiet: NodeJS.Timeout | undefined;
    const settle = (): void => resolve(document.published ?? []);
    const onAbort = (): void => reject(signal.reason);
    document.heard = () => {
      clearTimeout(quiet);
      quiet = setTimeout(settle, document.isVersioned ? quietMs.versioned : quietMs.unversioned);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (document.published !== undefined) document.heard();
    if (signal.aborted) onAbort();
    try {
      return await promise;
    } finally {
      clearTimeout(quiet);
      signal.removeEventListener('abort', onAbort);
      document.heard = undefined;
    }
  }
}
