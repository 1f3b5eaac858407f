/** Background processes of one agent: started here, watched here, ended here. */
import { randomBytes } from 'node:crypto';
import { UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import { timerMs } from '../lib/timer-limit.ts';
import type { BackgroundProcess, Confinement, Environment, Withheld } from './environment.ts';
import { FloodGuard } from './flood-guard.ts';
import { PatternWatch, type WatchNews } from './pattern-watch.ts';
import { type ProcessNotice, ProcessNotices } from './process-notices.ts';
import { type ProcessRecord, writeProcessRecords } from './process-records.ts';
import { RollingOutput } from './rolling-output.ts';

export interface TrackedProcess {
  /** `proc_<12 hex>` */
  readonly id: string;
  readonly command: string;
  readonly process: BackgroundProcess;
}

/** What a process is doing at the moment. */
export interface ProcessSnapshot {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Until now, or until it ended. */
  readonly uptimeSeconds: number;
  readonly status: 'running' | 'exited';
  /** -15 when it was ended from here. */
  readonly exitCode?: number;
  readonly completionReason?: 'exited' | 'killed';
  /** Who ended it; empty when it ended by itself. */
  readonly terminationSource?: '' | KillSource;
  readonly notifyOnComplete: boolean;
  /** Absent without a watch, and when it was too busy to go on. */
  readonly watchPatterns?: readonly string[];
  /** Whether a match was told. */
  readonly watchHit: boolean;
  /** When it was polled: what there is to know of the run itself. */
  readonly note?: string;
}

/** What is seen of a process when somebody looks. */
export interface SeenRun {
  readonly output: string;
  /** Absent while it runs. */
  readonly exitCode?: number;
  readonly withheld: readonly Withheld[];
}

/** The agent's own call, or the end of all at once. */
export type KillSource = 'process.kill' | 'kill_all';

export interface StartOptions {
  readonly cwd?: string;
  readonly pty?: boolean;
  readonly notifyOnComplete?: boolean;
  readonly watchPatterns?: readonly string[];
  readonly taskId?: string;
  readonly confinement?: Confinement;
  /** What is run in the place of the command, which stays the one that is shown. */
  readonly run?: string;
  /** What the model should know of the run itself; asked when it looks, and when the process has ended. */
  readonly note?: (run: SeenRun) => string | undefined;
}

/**
 * The processes that a session started and that go on beside its turns.
 *
 * @example
 * const { id } = await processes.start(environment, 'npm run watch', { notifyOnComplete: true });
 * await processes.wait(id, { timeoutMs: 30_000, signal });
 * console.log(processes.log(id, 2000));
 */
export interface ProcessRegistry {
  /** Tracked processes, finished ones included. */
  readonly size: number;
  /** Living processes; a session with some is not idle. */
  readonly running: number;
  /** Starts a command in the background and keeps track of it. */
  start(environment: Environment, command: string, options: StartOptions): Promise<TrackedProcess>;
  /** Keeps track of a process that was started elsewhere. */
  track(process: BackgroundProcess, command: string, options: StartOptions & { readonly cwd: string }): TrackedProcess;
  list(): readonly ProcessSnapshot[];
  /** `undefined` when there is no such process. Seeing that it ended takes back the notice of its end. */
  poll(id: string): ProcessSnapshot | undefined;
  /** The newest `chars` characters of the output, by default all 200,000 that are kept; raw. */
  log(id: string, chars?: number): string;
  wait(
    id: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<'exited' | 'timeout' | 'interrupted' | 'not_found'>;
  /** `still_running`: it was asked to end, and has not; nothing may force it. */
  kill(id: string, source?: KillSource): Promise<'killed' | 'already_exited' | 'still_running' | 'not_found'>;
  /** `closed` when the process reads no (more) input. */
  write(id: string, data: string): 'ok' | 'exited' | 'closed' | 'not_found';
  /** End of file for the process; `closed` when it takes no input. */
  endInput(id: string): 'ok' | 'exited' | 'closed' | 'not_found';
  /** The notices since the last time, oldest first. */
  takeNotices(): readonly ProcessNotice[];
  /** Whether somebody takes notices when they come; where nobody does, they come too late. */
  readonly isHeard: boolean;
  /** Calls back whenever there is something to take. Returns the end of that. */
  onNotice(listener: () => void): () => void;
  /** Ends every process. */
  close(): Promise<void>;
}

export interface ProcessRegistryOptions {
  readonly homePath: string;
  readonly redact: (text: string) => string;
  /** Names the conversation in the records. */
  readonly sessionKey?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly log?: Log;
}

const maxTracked = 64;
const keptOutputChars = 200_000;
const keptFinishedMs = 1_800_000;
const killWaitMs = 2000;
const stillLineMs = 500;

export function createProcessRegistry(options: ProcessRegistryOptions): ProcessRegistry {
  return new TrackedProcesses(options);
}

interface Entry extends TrackedProcess {
  readonly cwd: string;
  readonly startedAt: number;
  readonly output: RollingOutput;
  readonly watch: PatternWatch;
  readonly taskId: string;
  /** Resolves when the end has been recorded. */
  readonly ended: Promise<void>;
  notifyOnComplete: boolean;
  /** Runs out when a line has not gone on for a moment. */
  stillness?: NodeJS.Timeout;
  readonly note: StartOptions['note'];
  killedBy?: KillSource;
  end?: { readonly exitCode: number; readonly at: number };
}

class TrackedProcesses implements ProcessRegistry {
  readonly #options: ProcessRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  /** Ids of the records in the file that are ours. */
  #recordedIds: ReadonlySet<string> = new Set();
  readonly #notices: ProcessNotices;
  readonly #flood = new FloodGuard();

  constructor(options: ProcessRegistryOptions) {
    this.#options = options;
    this.#notices = new ProcessNotices(options.redact);
  }

  get size(): number {
    this.#forgetOld();
    return this.#entries.size;
  }

  get isHeard(): boolean {
    return this.#notices.isHeard;
  }

  get running(): number {
    return this.#living().length;
  }

  async start(environment: Environment, command: string, options: StartOptions): Promise<TrackedProcess> {
    this.#makeRoom();
    const cwd = options.cwd ?? environment.cwd;
    const { pty = false, confinement, run = command } = options;
    const process = await environment.spawn(run, {
      cwd,
      pty,
      ...(confinement === undefined ? {} : { confinement }),
    });
    return this.track(process, command, { ...options, cwd });
  }

  track(process: BackgroundProcess, command: string, options: StartOptions & { cwd: string }): TrackedProcess {
    this.#makeRoom();
    const id = `proc_${randomBytes(6).toString('hex')}`;
    const entry: Entry = {
      id,
      command,
      process,
      cwd: options.cwd,
      startedAt: this.#now(),
      output: new RollingOutput(keptOutputChars),
      watch: new PatternWatch(options.watchPatterns ?? []),
      taskId: options.taskId ?? '',
      note: options.note,
      notifyOnComplete: options.notifyOnComplete ?? false,
      ended: process.exited.then((exitCode) => {
        clearTimeout(entry.stillness);
        this.#recordEnd(entry, exitCode);
      }),
    };
    this.#entries.set(id, entry);
    process.onOutput((chunk) => this.#takeOutput(entry, chunk));
    this.#writeRecords();
    return entry;
  }

  list(): readonly ProcessSnapshot[] {
    this.#forgetOld();
    return [...this.#entries.values()].map((entry) => this.#snapshot(entry));
  }

  poll(id: string): ProcessSnapshot | undefined {
    const entry = this.#find(id);
    if (entry === undefined) return undefined;
    if (entry.end !== undefined) this.#notices.takeBackCompletion(id);
    const note = noteOf(entry);
    return { ...this.#snapshot(entry), ...(note === undefined ? {} : { note }) };
  }

  log(id: string, chars?: number): string {
    return this.#find(id)?.output.tail(chars) ?? '';
  }

  async wait(
    id: string,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<'exited' | 'timeout' | 'interrupted' | 'not_found'> {
    const entry = this.#find(id);
    if (entry === undefined) return 'not_found';
    if (entry.end === undefined) {
      const outcome = await firstOf(entry.ended, options.timeoutMs, options.signal);
      if (outcome !== 'exited') return outcome;
    }
    this.#notices.takeBackCompletion(id);
    return 'exited';
  }

  async kill(id: string, source: KillSource = 'process.kill'): ReturnType<ProcessRegistry['kill']> {
    const entry = this.#find(id);
    if (entry === undefined) return 'not_found';
    if (entry.end !== undefined) return 'already_exited';
    entry.killedBy = source;
    await entry.process.kill();
    // What belongs to another user (sudo) cannot be ended, and must not be waited for without end.
    const outcome = await firstOf(entry.ended, killWaitMs, new AbortController().signal);
    return outcome === 'exited' ? 'killed' : 'still_running';
  }

  write(id: string, data: string): 'ok' | 'exited' | 'closed' | 'not_found' {
    const entry = this.#find(id);
    if (entry === undefined) return 'not_found';
    if (entry.end !== undefined) return 'exited';
    return entry.process.write(data) ? 'ok' : 'closed';
  }

  endInput(id: string): 'ok' | 'exited' | 'closed' | 'not_found' {
    const entry = this.#find(id);
    if (entry === undefined) return 'not_found';
    if (entry.end !== undefined) return 'exited';
    return entry.process.endInput() ? 'ok' : 'closed';
  }

  takeNotices(): readonly ProcessNotice[] {
    return this.#notices.take();
  }

  onNotice(listener: () => void): () => void {
    return this.#notices.onNotice(listener);
  }

  async close(): Promise<void> {
    await Promise.all(this.#living().map((entry) => this.kill(entry.id, 'kill_all')));
  }

  #takeOutput(entry: Entry, chunk: string): void {
    entry.output.push(chunk);
    this.#tell(entry, entry.watch.push(chunk, this.#now()));
    clearTimeout(entry.stillness);
    if (!entry.watch.isInsideLine) return;
    const look = (): void => this.#tell(entry, entry.watch.lookAtUnfinished(this.#now()));
    entry.stillness = setTimeout(look, stillLineMs).unref();
  }

  #recordEnd(entry: Entry, exitCode: number): void {
    const last = entry.watch.push('\n', this.#now());
    if (entry.killedBy === undefined) this.#tell(entry, last);
    entry.end = { exitCode: entry.killedBy === undefined ? exitCode : -15, at: this.#now() };
    this.#writeRecords();
    if (!entry.notifyOnComplete || entry.killedBy !== undefined) return;
    this.#notices.completed(entry, exitCode, noteOf(entry));
  }

  #tell(entry: Entry, news: WatchNews | undefined): void {
    if (news === undefined) return;
    if (news.kind === 'disabled') {
      entry.notifyOnComplete = true;
      return this.#notices.matched(entry, news);
    }
    const { admitted, news: ofAll } = this.#flood.admit(this.#now());
    if (ofAll !== undefined) this.#notices.overall(entry, ofAll);
    if (admitted) this.#notices.matched(entry, news);
  }

  #snapshot(entry: Entry): ProcessSnapshot {
    const { id, command, cwd, startedAt, end, watch, killedBy, notifyOnComplete } = entry;
    return {
      id,
      command,
      cwd,
      pid: entry.process.pid,
      startedAt,
      uptimeSeconds: Math.max(0, Math.round(((end?.at ?? this.#now()) - startedAt) / 1000)),
      status: end === undefined ? 'running' : 'exited',
      notifyOnComplete,
      ...(watch.patterns === undefined ? {} : { watchPatterns: watch.patterns }),
      watchHit: watch.hasTold,
      ...(end === undefined
        ? {}
        : {
            exitCode: end.exitCode,
            completionReason: killedBy === undefined ? 'exited' : 'killed',
            terminationSource: killedBy ?? '',
          }),
    };
  }

  #find(id: string): Entry | undefined {
    this.#forgetOld();
    return this.#entries.get(id);
  }

  #living(): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.end === undefined);
  }

  #forgetOld(): void {
    for (const { id, end } of this.#entries.values()) {
      if (end !== undefined && this.#now() - end.at > keptFinishedMs) this.#entries.delete(id);
    }
  }

  /** The process that ended first gives way. */
  #makeRoom(): void {
    this.#forgetOld();
    if (this.#entries.size < maxTracked) return;
    const finished = [...this.#entries.values()]
      .filter((entry) => entry.end !== undefined)
      .sort((a, b) => (a.end?.at ?? 0) - (b.end?.at ?? 0))[0];
    if (finished === undefined) {
      throw new UserError(`Cannot start another background process: ${maxTracked} are running already.`, {
        hint: 'End one that is no longer needed first.',
      });
    }
    this.#entries.delete(finished.id);
  }

  #writeRecords(): void {
    const records = this.#living().map(
      (entry): ProcessRecord => ({
        session_id: entry.id,
        command: this.#options.redact(entry.command),
        pid: entry.process.pid,
        pid_scope: entry.process.elsewhere === true ? 'sandbox' : 'host',
        cwd: entry.cwd,
        started_at: entry.startedAt / 1000,
        task_id: entry.taskId,
        session_key: this.#options.sessionKey ?? '',
        notify_on_complete: entry.notifyOnComplete,
        watch_patterns: entry.watch.patterns ?? [],
      }),
    );
    const { homePath, log = noLog } = this.#options;
    writeProcessRecords({ homePath, log }, this.#recordedIds, records);
    this.#recordedIds = new Set(records.map((record) => record.session_id));
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

function noteOf({ note, output: printed, process, end }: Entry): string | undefined {
  if (note === undefined) return undefined;
  const output = printed.tail();
  const withheld = process.withheld?.(output) ?? [];
  return note({ output, withheld, ...(end === undefined ? {} : { exitCode: end.exitCode }) });
}

function firstOf(
  ended: Promise<void>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'exited' | 'timeout' | 'interrupted'> {
  return new Promise((resolve) => {
    const finish = (outcome: 'exited' | 'timeout' | 'interrupted'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const onAbort = (): void => finish('interrupted');
    const timer = setTimeout(() => finish('timeout'), timerMs(timeoutMs));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    void ended.then(() => finish('exited'));
  });
}
