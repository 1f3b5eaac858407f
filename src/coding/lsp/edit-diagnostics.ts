/** What an edit has broken, as language servers see it: asked before the edit and after, and only what is new is told. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { languageOf } from './catalogue.ts';
import type { Diagnostic } from './diagnostic.ts';
import { errorReport } from './error-report.ts';
import { gitRootOf, projectRootOf } from './find-root.ts';
import { comesUnasked, installServer } from './install-server.ts';
import type { DiagnoseOptions, LanguageClient } from './language-client.ts';
import type { LanguageServer } from './language-server.ts';
import { locateServer, type ServerSources } from './locate-server.ts';
import { type Looked, newErrors } from './new-errors.ts';
import { ServerPool } from './server-pool.ts';
import { untilAborted } from './until-aborted.ts';

/** Servers are given whole files, and keep them. */
const maxFileChars = 1_000_000;
/** What a server gets to begin with reading the project that it was just started in, and to come to a first answer. */
const firstWorkMs = 300;
const firstAnswerMs = 60_000;
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

class TookTooLong extends Error {
  override readonly message = 'it took too long';
}

/** The first question to a server. */
interface WarmUp {
  readonly settled: Promise<void>;
  /** Until then others wait for it; whoever comes later goes on without the server. */
  readonly patientUntil: number;
}

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
  /** Servers that have answered here, and those that were asked for the first time and have not yet. */
  readonly #warm = new WeakSet<LanguageClient>();
  readonly #warming = new WeakMap<LanguageClient, WarmUp>();
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
      const warmUp = this.#warming.get(client);
      if (warmUp !== undefined) await untilAborted(warmUp.settled, patience(warmUp, limited));
      if (text === undefined) return this.#watch(client, { place, path, isNew: true }, nothing);
      client.open(path, place.language, text);
      const errors = await this.#ask(client, { place, path }, { signal: limited, workBeginsMs: 0 });
      return this.#watch(client, { place, path, isNew: false }, { text, errors });
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

  /** The errors of an open file. When it rejects, the file is closed, or will be. */
  async #ask(
    client: LanguageClient,
    { place: { server, root }, path }: { readonly place: Place; readonly path: string },
    options: DiagnoseOptions,
  ): Promise<readonly Diagnostic[]> {
    if (!this.#warm.has(client) && !this.#warming.has(client)) {
      return await this.#askFirst(client, { server, root, path }, options.signal);
    }
    try {
      const errors = await client.diagnose(path, options);
      this.#pool.note(server, root, true);
      return errors;
    } catch (error) {
      client.close(path);
      if (error instanceof TookTooLong || !options.signal.aborted) this.#pool.note(server, root, false);
      throw error;
    }
  }

  /** A server may have a whole project to read before its first answer: who asks may go, the question stays. */
  async #askFirst(
    client: LanguageClient,
    { server, root, path }: { readonly server: LanguageServer; readonly root: string; readonly path: string },
    signal: AbortSignal,
  ): Promise<readonly Diagnostic[]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new TookTooLong()), firstAnswerMs);
    timer.unref();
    const answer = client.diagnose(path, { signal: late.signal, workBeginsMs: firstWorkMs });
    const settled = answer
      .then(
        () => void this.#warm.add(client),
        (error: unknown) => this.#pool.giveUp(server, root, `no first answer: ${errorMessage(error)}`),
      )
      .finally(() => {
        clearTimeout(timer);
        this.#warming.delete(client);
      });
    const patientUntil = Date.now() + this.#options.settings.wait_timeout * 1000;
    this.#warming.set(client, { settled, patientUntil });
    try {
      return await untilAborted(answer, signal);
    } catch (error) {
      void settled.then(() => client.close(path));
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
        const errors = await this.#inTime(place, signal, (limited) =>
          this.#ask(client, { place, path }, { signal: limited, ...(isFull ? { workBeginsMs: laterWorkMs } : {}) }),
        );
        if (errors === undefined) return undefined;
        // Other programs may change it from now on.
        client.close(path);
        return errorReport(path, newErrors(before, { text, errors }));
      },
    };
  }

  /** Undefined when it fails, or takes longer than the configuration allows. */
  async #inTime<T>(
    { server }: Place,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { settings, log } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new TookTooLong()), settings.wait_timeout * 1000);
    try {
      return await work(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      log.debug(`${server.id} did not say what an edit has broken`, error);
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

function patience({ patientUntil }: WarmUp, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, patientUntil - Date.now()))]);
}
