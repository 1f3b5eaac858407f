/** The language servers that run for one session: started when a file needs one, ended with it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnProcesses } from '../../environments/local/own-processes.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { LanguageClient } from './language-client.ts';
import type { LanguageServer } from './language-server.ts';
import { locateServer, type ServerSources } from './locate-server.ts';
import { type StartedServer, startServer } from './start-server.ts';

/** Servers hold whole projects in memory. */
const idleMs = 10 * 60_000;
const maxRunning = 6;
/** Questions in a row without an answer in time, after which none is asked any more. */
const patience = 3;

export interface ServerPoolOptions extends ServerSources {
  readonly log: Log;
}

/** A server in a project. */
interface Entry {
  readonly id: string;
  readonly starting: Promise<StartedServer | undefined>;
  /** Until then a start is waited for; whoever comes later goes without. */
  readonly patientUntil: number;
  started: StartedServer | undefined;
  isBroken: boolean;
  /** Questions in a row that had no answer in time. */
  misses: number;
  idle: NodeJS.Timeout | undefined;
}

/** The time of this file says when the user last asked for a new beginning. */
export function restartMark(folder: string): string {
  return join(folder, 'restart');
}

export class ServerPool {
  readonly #options: ServerPoolOptions;
  /** By server and root; the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #closed = new AbortController();
  #processes: OwnProcesses | undefined;
  #restarted: number;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
    this.#restarted = this.#restartTime();
  }

  /** False for a server that failed in this place; it is not tried again before a restart. */
  isUsable({ id }: LanguageServer, root: string): boolean {
    this.#noticeRestart();
    return this.#entries.get(keyOf(id, root))?.isBroken !== true;
  }

  /** Undefined when there is none, or none that is ready before `signal` aborts. */
  async client(server: LanguageServer, root: string, signal: AbortSignal): Promise<LanguageClient | undefined> {
    if (this.#closed.signal.aborted || !this.isUsable(server, root)) return undefined;
    const key = keyOf(server.id, root);
    const entry = this.#entries.get(key) ?? this.#begin(server, root);
    if (entry === undefined) return undefined;
    // Behind all that were used before it.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const started = entry.started ?? (await waitFor(entry, signal));
    if (started === undefined) return undefined;
    this.#keep(key, entry);
    return started.client;
  }

  /** What came of a question: a server that never answers in time only costs time. */
  note(server: LanguageServer, root: string, answered: boolean): void {
    const entry = this.#entries.get(keyOf(server.id, root));
    if (entry === undefined) return;
    entry.misses = answered ? 0 : entry.misses + 1;
    if (entry.misses >= patience) this.#giveUp(entry, `it did not answer in time, ${patience} times in a row`);
  }

  /** It is of no use in this place. */
  giveUp(server: LanguageServer, root: string, reason: string): void {
    const entry = this.#entries.get(keyOf(server.id, root));
    if (entry !== undefined) this.#giveUp(entry, reason);
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new Error('the session was closed'));
    // What is starting right now is told to stop, and must not come to life behind our back.
    const starting = [...this.#entries.values()].map((entry) => entry.starting);
    await this.#endAll();
    await Promise.all(starting);
    await this.#processes?.endAll();
    this.#processes?.release();
  }

  #begin(server: LanguageServer, root: string): Entry | undefined {
    const located = locateServer(server, this.#options);
    if (located === undefined) return undefined;
    const { log, settings } = this.#options;
    this.#processes ??= new OwnProcesses(log);
    const entry: Entry = {
      id: server.id,
      starting: startServer(server, located, {
        ...this.#options,
        root,
        processes: this.#processes,
        signal: this.#closed.signal,
      }).then(
        (started) => this.#welcome(entry, started),
        (error: unknown) => this.#giveUp(entry, errorMessage(error)),
      ),
      patientUntil: Date.now() + settings.wait_timeout * 1000,
      started: undefined,
      isBroken: false,
      misses: 0,
      idle: undefined,
    };
    return entry;
  }

  #welcome(entry: Entry, started: StartedServer): StartedServer | undefined {
    if (!this.#knows(entry)) {
      // There was a restart while it started.
      void started.end();
      return undefined;
    }
    entry.started = started;
    void started.client.ended.then((reason) => this.#giveUp(entry, reason));
    return started;
  }

  #giveUp(entry: Entry, reason: string): undefined {
    if (entry.isBroken || this.#closed.signal.aborted || !this.#knows(entry)) return;
    entry.isBroken = true;
    this.#options.log.warning(`no more use of the language server ${entry.id} until hermes lsp restart: ${reason}`);
    void this.#end(entry);
  }

  /** In use now. One too many ends the one that was not used for the longest time. */
  #keep(key: string, entry: Entry): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => this.#drop(key), idleMs);
    entry.idle.unref();
    const running = [...this.#entries].filter(([, { started }]) => started !== undefined);
    for (const [old] of running.slice(0, Math.max(0, running.length - maxRunning))) this.#drop(old);
  }

  /** It may be started again. */
  #drop(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry !== undefined) void this.#end(entry);
  }

  #noticeRestart(): void {
    const time = this.#restartTime();
    if (time === this.#restarted) return;
    this.#restarted = time;
    void this.#endAll();
  }

  async #endAll(): Promise<void> {
    const all = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(all.map((entry) => this.#end(entry)));
  }

  async #end(entry: Entry): Promise<void> {
    clearTimeout(entry.idle);
    const { started } = entry;
    entry.started = undefined;
    await started?.end();
  }

  #knows(entry: Entry): boolean {
    return this.#entries.values().some((known) => known === entry);
  }

  #restartTime(): number {
    return statSync(restartMark(this.#options.folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }
}

async function waitFor(entry: Entry, signal: AbortSignal): Promise<StartedServer | undefined> {
  const patientMs = entry.patientUntil - Date.now();
  if (patientMs <= 0 || signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(giveUp, patientMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([entry.starting, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

function keyOf(id: string, root: string): string {
  return `${id} ${root}`;
}
