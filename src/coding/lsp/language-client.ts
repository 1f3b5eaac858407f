/** One running language server: started, told of files, asked what is wrong in them, ended. */
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { TalkingProgram } from '../../environments/local/talking-program.ts';
import type { JsonObject } from '../../lib/json.ts';
import { isJsonObject } from '../../lib/json.ts';
import { askTsserver } from './ask-tsserver.ts';
import { connectServer, type ServerConnection } from './connection.ts';
import { type Diagnostic, readErrors } from './diagnostic.ts';
import { OpenDocuments } from './open-documents.ts';
import { clientCapabilities } from './protocol.ts';
import { WorkInProgress } from './work-in-progress.ts';

export interface LanguageClientOptions {
  readonly program: TalkingProgram;
  readonly root: string;
  readonly asks?: 'tsserver';
  readonly initializationOptions: JsonObject;
  /** What it reads as its settings, by section. */
  readonly settings: JsonObject;
  readonly debug: (message: string) => void;
}

export interface DiagnoseOptions {
  readonly signal: AbortSignal;
  /**
   * When there: the end of what the server does in its background is waited for, and it is asked again then. The
   * milliseconds are what it gets to begin with that.
   */
  readonly workBeginsMs?: number;
}

const pullMethod = 'textDocument/diagnostic';
const maxPulls = 5;

const initialized = z.object({ capabilities: z.looseObject({ diagnosticProvider: z.unknown().optional() }) });
const registrations = z.object({ registrations: z.array(z.looseObject({ method: z.string() })) });
const items = z.object({ items: z.array(z.unknown()) });
const sections = z.object({ items: z.array(z.object({ section: z.string().optional() })) });

/** Rejects when the server does not start, does not answer until `signal` aborts, or refuses. */
export async function openLanguageClient(options: LanguageClientOptions, signal: AbortSignal): Promise<LanguageClient> {
  const connection = await connectServer(options.program, options.debug);
  const client = new LanguageClient(connection, options);
  await client.start(signal);
  return client;
}

export class LanguageClient {
  readonly #connection: ServerConnection;
  readonly #options: LanguageClientOptions;
  readonly #documents = new OpenDocuments();
  readonly #work = new WorkInProgress();
  /** Ends the wait for what is published: the server has ended, or has said that it wants to be asked. */
  readonly #noPublishing = new AbortController();
  #isPulled = false;

  constructor(connection: ServerConnection, options: LanguageClientOptions) {
    this.#connection = connection;
    this.#options = options;
    void connection.ended.then((reason) => this.#noPublishing.abort(new Error(reason)));
  }

  /** Resolves once, with the reason. */
  get ended(): Promise<string> {
    return this.#connection.ended;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { root, initializationOptions } = this.#options;
    this.#listen();
    const uri = pathToFileURL(root).href;
    const answer = await this.#connection.request(
      'initialize',
      {
        processId: process.pid,
        clientInfo: { name: 'hermes' },
        rootPath: root,
        rootUri: uri,
        workspaceFolders: [{ uri, name: basename(root) }],
        capabilities: clientCapabilities,
        initializationOptions,
      },
      signal,
    );
    if (initialized.parse(answer).capabilities.diagnosticProvider !== undefined) this.#pull();
    this.#connection.notify('initialized', {});
    this.#connection.notify('workspace/didChangeConfiguration', { settings: this.#options.settings });
  }

  open(path: string, languageId: string, text: string): void {
    this.close(path);
    const uri = pathToFileURL(path).href;
    const { version, closed } = this.#documents.open(path);
    for (const old of closed) this.#forget(old);
    this.#connection.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  /** The file has been written, and holds this now. */
  change(path: string, text: string): void {
    const uri = pathToFileURL(path).href;
    const version = this.#documents.change(path);
    // It was closed for others: the server reads what was written.
    if (version === undefined) return;
    this.#connection.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    this.#connection.notify('textDocument/didSave', { textDocument: { uri }, text });
  }

  /** From now on the server reads the file itself. */
  close(path: string): void {
    if (this.#documents.close(path)) this.#forget(path);
  }

  /** Files that were made or changed, for what the server knows of files that are not open. */
  noteWritten(path: string, isNew: boolean): void {
    const uri = pathToFileURL(path).href;
    this.#connection.notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: isNew ? 1 : 2 }] });
  }

  /** The errors of an open file. Rejects when the server does not say before `signal` aborts. */
  async diagnose(path: string, { signal, workBeginsMs }: DiagnoseOptions): Promise<readonly Diagnostic[]> {
    const first = await this.#ask(path, signal);
    if (workBeginsMs === undefined || !(await this.#work.ended(workBeginsMs, signal))) return first;
    return await this.#ask(path, signal);
  }

  /** Asks it to end; whoever started the program sees to it. */
  async shutDown(signal: AbortSignal): Promise<void> {
    await this.#connection.request('shutdown', undefined, signal);
    this.#connection.notify('exit', {});
  }

  async #ask(path: string, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const uri = pathToFileURL(path).href;
    if (this.#options.asks === 'tsserver') {
      return await askTsserver(uri, (method, params) => this.#connection.request(method, params, signal));
    }
    if (this.#isPulled) return await this.#askByPull(uri, signal);
    try {
      return await this.#documents.published(path, AbortSignal.any([signal, this.#noPublishing.signal]));
    } catch (error) {
      if (!this.#isPulled || signal.aborted) throw error;
      return await this.#askByPull(uri, signal);
    }
  }

  /** A server may cancel a question because it knows better than to answer now; then it is asked again. */
  async #askByPull(uri: string, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    for (let pull = 1; ; pull += 1) {
      try {
        const answer = await this.#connection.request(pullMethod, { textDocument: { uri } }, signal);
        return readErrors(items.parse(answer).items);
      } catch (error) {
        if (pull >= maxPulls || signal.aborted || !isRetriable(error)) throw error;
      }
    }
  }

  #listen(): void {
    const connection = this.#connection;
    const { settings, root } = this.#options;
    connection.onNotification('textDocument/publishDiagnostics', (params) => this.#documents.take(params, pathOf));
    connection.onNotification('$/progress', (params) => this.#work.note(params));
    connection.onRequest('client/registerCapability', (params) => {
      const wanted = registrations.safeParse(params).data?.registrations ?? [];
      if (wanted.some(({ method }) => method === pullMethod)) this.#pull();
      return null;
    });
    connection.onRequest('client/unregisterCapability', () => null);
    connection.onRequest('window/workDoneProgress/create', () => null);
    connection.onRequest('window/showMessageRequest', () => null);
    // What a server would change by itself is nobody's wish.
    connection.onRequest('workspace/applyEdit', () => ({ applied: false }));
    connection.onRequest('workspace/diagnostic/refresh', () => null);
    connection.onRequest('workspace/workspaceFolders', () => [{ uri: pathToFileURL(root).href, name: basename(root) }]);
    connection.onRequest('workspace/configuration', (params) =>
      (sections.safeParse(params).data?.items ?? []).map(({ section }) => sectionOf(settings, section)),
    );
    connection.listen();
  }

  #pull(): void {
    this.#isPulled = true;
    this.#noPublishing.abort(new Error('it wants to be asked'));
  }

  #forget(path: string): void {
    this.#connection.notify('textDocument/didClose', { textDocument: { uri: pathToFileURL(path).href } });
  }
}

/** `ServerCancelled` and `ContentModified` of the protocol. */
function isRetriable(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === -32_802 || code === -32_801;
}

function sectionOf(settings: JsonObject, section: string | undefined): unknown {
  let value: unknown = settings;
  for (const name of section?.split('.') ?? []) value = isJsonObject(value) ? (value[name] ?? null) : null;
  return value;
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // No file: what is said of it is not asked for.
    return undefined;
  }
}
