/** What an edit has broken, as language servers see it: asked before the edit and after, and only what is new is told. */
import type { Log } from '../../lib/log.ts';
import { languageOf } from './catalogue.ts';
import { errorReport } from './error-report.ts';
import { gitRootOf, projectRootOf } from './find-root.ts';
import { comesUnasked, installServer } from './install-server.ts';
import type { LanguageClient } from './language-client.ts';
import type { LanguageServer } from './language-server.ts';
import { locateServer, type ServerSources } from './locate-server.ts';
import { type Looked, newErrors } from './new-errors.ts';
import { ServerPool } from './server-pool.ts';

/** Servers are given whole files, and keep them. */
const maxFileChars = 1_000_000;
/** What a server gets to begin with reading the project that it was just started in. */
const firstWorkMs = 300;
/** What it gets to begin with what a written file makes it do. */
const laterWorkMs = 200;

export interface EditDiagnosticsOptions extends ServerSources {
  readonly log: Log;
}

/** A change of one file, from its beginning on. */
export interface WatchedEdit {
  /** The file holds this now. */
  written(text: string): void;
  /** As text, undefined when there is none; to be asked for once, when all files of a change are written. */
  newErrors(signal: AbortSignal): Promise<string | undefined>;
}

const nothing: Looked = { text: '', errors: [] };

interface Place {
  readonly server: LanguageServer;
  /** The protocol's name of the language. */
  readonly language: string;
  readonly root: string;
}

/** One for a session. Nothing of it throws: whatever goes wrong, an edit goes on without it, and the log says why. */
export class EditDiagnostics {
  readonly #options: EditDiagnosticsOptions;
  readonly #pool: ServerPool;
  /** Servers that have answered here. */
  readonly #warm = new WeakSet<LanguageClient>();
  /** Ids of what was installed unasked, or tried to be. */
  readonly #installs = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();

  constructor(options: EditDiagnosticsOptions) {
    this.#options = options;
    this.#pool = new ServerPool(options);
  }

  /** Whether a server that is here looks at this file. `path` is absolute. */
  covers(path: string): boolean {
    const place = this.#placeOf(path);
    return place !== undefined && this.#isHere(place);
  }

  /** Before a file changes; `text` is what it holds now, undefined when there is no such file. */
  async before(path: string, text: string | undefined, signal: AbortSignal): Promise<WatchedEdit | undefined> {
    const place = this.#placeOf(path);
    if (place === undefined || (text ?? '').length > maxFileChars) return undefined;
    if (!this.#isHere(place)) {
      if (this.#options.settings.install_strategy === 'auto') this.#installUnasked(place.server);
      return undefined;
    }
    return await this.#inTime(place, signal, async (limited) => {
      const client = await this.#pool.client(place.server, place.root, limited);
      if (client === undefined) return undefined;
      const before = text === undefined ? nothing : await this.#look(client, { place, path, text }, limited);
      return this.#watch(client, { place, path, isNew: text === undefined }, before);
    });
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error('the session was closed'));
    await Promise.all([this.#pool.close(), ...this.#installs.values()]);
  }

  #placeOf(path: string): Place | undefined {
    const language = languageOf(path);
    const { enabled, servers } = this.#options.settings;
    if (language === undefined || !enabled || servers[language.server.id]?.disabled === true) return undefined;
    const gitRoot = gitRootOf(path);
    if (gitRoot === undefined) return undefined;
    const { server, name } = language;
    return { server, language: name, root: projectRootOf(path, server.roots, gitRoot) };
  }

  #isHere({ server, root }: Place): boolean {
    return this.#pool.isUsable(server, root) && locateServer(server, this.#options) !== undefined;
  }

  /** How the file is before the edit. */
  async #look(
    client: LanguageClient,
    { place, path, text }: { readonly place: Place; readonly path: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<Looked> {
    client.open(path, place.language, text);
    try {
      const workBeginsMs = this.#warm.has(client) ? 0 : firstWorkMs;
      const errors = await client.diagnose(path, { signal, workBeginsMs });
      this.#warm.add(client);
      return { text, errors };
    } catch (error) {
      client.close(path);
      throw error;
    }
  }

  #watch(
    client: LanguageClient,
    { place, path, isNew }: { readonly place: Place; readonly path: string; readonly isNew: boolean },
    before: Looked,
  ): WatchedEdit {
    const isFull = this.#options.settings.wait_mode === 'full';
    let written: string | undefined;
    return {
      written(text) {
        if (text.length > maxFileChars) return client.close(path);
        if (isNew && written === undefined) client.open(path, place.language, text);
        else client.change(path, text);
        client.noteWritten(path, isNew);
        written = text;
      },
      newErrors: async (signal) => {
        const text = written;
        if (text === undefined) return undefined;
        const errors = await this.#inTime(place, signal, async (limited) =>
          client.diagnose(path, { signal: limited, ...(isFull ? { workBeginsMs: laterWorkMs } : {}) }),
        );
        // Other programs may change it from now on.
        client.close(path);
        return errors === undefined ? undefined : errorReport(path, newErrors(before, { text, errors }));
      },
    };
  }

  /** Undefined when it fails, or takes longer than the configuration allows. */
  async #inTime<T>(
    { server, root }: Place,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { settings, log } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('it took too long')), settings.wait_timeout * 1000);
    try {
      const found = await work(AbortSignal.any([signal, late.signal]));
      this.#pool.note(server, root, !late.signal.aborted);
      return found;
    } catch (error) {
      log.debug(`${server.id} did not say what an edit has broken`, error);
      if (!signal.aborted) this.#pool.note(server, root, false);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** In the background: the server is used from the next edit on. */
  #installUnasked(server: LanguageServer): void {
    const { log, settings } = this.#options;
    if (this.#installs.has(server.id) || !comesUnasked(server) || this.#closed.signal.aborted) return;
    if (settings.servers[server.id]?.command !== undefined) return;
    log.info(`installing the language server ${server.id}, to be used when it is there (lsp.install_strategy: auto)`);
    const installed = installServer(server, { ...this.#options, signal: this.#closed.signal }).then(
      ({ path }) => log.info(`installed the language server ${server.id}: ${path}`),
      (error: unknown) => log.warning(`the language server ${server.id} could not be installed`, error),
    );
    this.#installs.set(server.id, installed);
  }
}
