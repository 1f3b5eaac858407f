/** One living shell: commands go in through stdin, output and reports come out of one pipe. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '../../lib/timer-limit.ts';
import type { ShellProgram } from './find-shell.ts';
import { openPipe } from './pipe.ts';
import { killTree } from './process-tree.ts';
import { ReportScanner, type Scanned } from './report-scanner.ts';
import { commandText, readState, type ShellBeginning, setupText, shellArguments } from './shell-text.ts';
import { refStream, unrefStream } from './supervisor.ts';

/** What can be carried from one shell to the next, as shell text. */
export interface ShellState {
  /** Functions, aliases and shell options; empty where the shell cannot print them. */
  readonly definitions: string;
  readonly exports: string;
}

export interface ShellOptions {
  readonly program: ShellProgram;
  /** How it gets to the place where it runs; absent: it runs beside us. */
  readonly entrance?: { readonly prefix: readonly string[]; readonly isLed: boolean };
  readonly env: Readonly<Record<string, string>>;
  /** Variables of `env` that start-up files must not change. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Text that is in the environment of this shell's processes and of no other. */
  readonly mark: string;
  readonly cwd: string;
  readonly beginning: ShellBeginning;
  readonly state: ShellState;
  /** Commands read this instead of nothing. */
  readonly stdin?: string;
  /** A directory of ours for short-lived files. */
  readonly scratch: string;
  /** Told when the shell runs and when its process has ended. */
  onStarted(pid: number): void;
  onEnded(pid: number): void;
}

/** What every command of a shell finds, as shell text. */
export interface ShellSurroundings {
  readonly exports: string;
  /** Functions, aliases, options and traps; empty where the shell does not report them. */
  readonly meanings: string;
}

export interface ShellOutcome {
  /** `startup`: the command never ran, because the shell ended or hung in its start-up files. */
  readonly ended: 'exit' | 'timeout' | 'interrupt' | 'startup';
  readonly status: number;
}

export interface ShellJob {
  /** Moves there first, when given. */
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onBytes(bytes: Buffer): void;
}

interface RunningJob extends ShellJob {
  stopping: boolean;
  settle(outcome: ShellOutcome): void;
}

const startupLimitMs = 15_000;
const stateWaitMs = 100;
const endLimitMs = 1000;
const maxStateChars = 8_000_000;

/** Starts a shell; the first command may be sent at once. */
export async function startShell(options: ShellOptions): Promise<ShellSession> {
  const [output, input] = await Promise.all([
    openPipe(options.scratch),
    options.stdin === undefined ? undefined : openPipe(options.scratch),
  ]);
  const shell = [options.program.path, ...shellArguments(options.program.dialect)];
  const [program = options.program.path, ...args] = [...(options.entrance?.prefix ?? []), ...shell];
  const child = spawn(program, args, {
    argv0: basename(program),
    detached: true,
    cwd: '/',
    env: options.env,
    stdio: [
      'pipe',
      output?.writeEnd ?? 'pipe',
      'ignore',
      'pipe',
      options.stdin === undefined ? 'ignore' : (input?.readEnd ?? 'pipe'),
    ],
  });
  if (output !== undefined) closeSync(output.writeEnd);
  if (input !== undefined) closeSync(input.readEnd);
  const reader = output === undefined ? child.stdout : new Socket({ fd: output.readEnd, writable: false });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  }).catch((error: unknown) => {
    reader?.destroy();
    if (input !== undefined) closeSync(input.writeEnd);
    throw error;
  });
  if (options.stdin !== undefined) {
    const writer = input === undefined ? child.stdio[4] : new Socket({ fd: input.writeEnd, readable: false });
    feed(writer, options.stdin);
  }
  return new ShellSession(child, reader, options);
}

export class ShellSession {
  readonly #child: ChildProcess;
  readonly #reader: Readable | null;
  readonly #options: ShellOptions;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #scanner = new ReportScanner(this.#secret);
  readonly #setup: {
    readonly dialect: ShellProgram['dialect'];
    readonly secret: string;
    readonly reportsMeanings: boolean;
  };
  readonly #startupTimer: NodeJS.Timeout;
  #phase: 'starting' | 'living' | 'failed' | 'dead' = 'starting';
  #job: RunningJob | undefined;
  #cwd: string;
  #state: ShellState;
  #meanings = '';
  /** How it was before the first command. */
  #first: ShellSurroundings | undefined;
  #unfinishedState = '';
  /** Reports whose exports have not come in yet. */
  #unreadStates = 0;
  /** Exit status that the shell gave in its last report. */
  #lastStatus: number | undefined;

  constructor(child: ChildProcess, reader: Readable | null, options: ShellOptions) {
    this.#child = child;
    this.#reader = reader;
    this.#options = options;
    this.#cwd = options.cwd;
    this.#state = options.state;
    reader?.on('data', (chunk: Buffer) => this.#onData(chunk));
    // A shell that goes away breaks its pipes; its exit, which always follows, says all there is to know.
    reader?.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    const state = child.stdio[3];
    if (state instanceof Socket) {
      state.setEncoding('utf8');
      state.on('data', (text: string) => this.#onState(text));
      state.on('error', () => undefined);
    }
    child.once('exit', (code, signal) => void this.#onExit(exitStatus(code, signal)));
    this.#setup = {
      dialect: options.program.dialect,
      secret: this.#secret,
      reportsMeanings: options.entrance !== undefined,
    };
    options.onStarted(this.pid);
    this.#startupTimer = setTimeout(() => void this.#failStartup(), startupLimitMs);
    this.#startupTimer.unref();
    this.#hold(false);
    const { cwd, beginning, fixed } = options;
    const setup = { ...this.#setup, cwd, beginning, fixed };
    child.stdin?.write(setupText({ ...setup, hasStdin: options.stdin !== undefined }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** False when the next command needs a new shell. */
  get alive(): boolean {
    return this.#phase === 'starting' || this.#phase === 'living';
  }

  /** True when it has ended and nobody can write to its output any more. */
  get finished(): boolean {
    return this.#phase === 'dead' && (this.#reader === null || this.#reader.readableEnded || this.#reader.destroyed);
  }

  /** As of before the first command; `undefined` while it has not come in. */
  get first(): ShellSurroundings | undefined {
    return this.#first;
  }

  /** As of the end of the last command. */
  async surroundings(): Promise<ShellSurroundings> {
    const { exports } = await this.latestState();
    return { exports, meanings: this.#meanings };
  }

  /** Where the shell stands. */
  get cwd(): string {
    return this.#cwd;
  }

  /**
   * Exports as of the end of the last command, definitions as of the shell's start or its own end. Waits a moment for
   * what is still in the pipe.
   */
  async latestState(): Promise<ShellState> {
    const deadline = Date.now() + stateWaitMs;
    while (this.#unreadStates > 0 && Date.now() < deadline) await sleep(1);
    return this.#state;
  }

  /** Runs one command. Must not be called while another one runs. Never rejects. */
  run(command: string, job: ShellJob): Promise<ShellOutcome> {
    if (!this.alive) return Promise.resolve({ ended: 'startup', status: 1 });
    this.#hold(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => void this.#stop('timeout'), timerMs(job.timeoutMs));
      const onAbort = (): void => void this.#stop('interrupt');
      job.signal.addEventListener('abort', onAbort, { once: true });
      this.#job = {
        cwd: job.cwd,
        timeoutMs: job.timeoutMs,
        signal: job.signal,
        onBytes: (bytes) => job.onBytes(bytes),
        stopping: false,
        settle: (outcome) => {
          clearTimeout(timer);
          job.signal.removeEventListener('abort', onAbort);
          this.#job = undefined;
          this.#hold(false);
          resolve(outcome);
        },
      };
      this.#child.stdin?.write(
        commandText({ ...this.#setup, hasStdin: this.#options.stdin !== undefined }, command, job.cwd),
      );
      if (job.signal.aborted) onAbort();
    });
  }

  /** Lets an idle shell end by itself; what it left in the background goes on. */
  retire(): void {
    this.#phase = 'dead';
    this.#child.stdin?.end();
  }

  /** Lets an idle shell end by itself and waits until it has said what the next one must know. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#hold(true);
    this.retire();
    const ended = new Promise<void>((resolve) => void this.#child.once('exit', () => resolve()));
    await Promise.race([ended, sleep(endLimitMs)]);
    await this.latestState();
    this.#hold(false);
  }

  /** Stops reading; for after everything was killed. */
  release(): void {
    clearTimeout(this.#startupTimer);
    this.#phase = 'dead';
    this.#reader?.destroy();
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #onData(chunk: Buffer): void {
    for (const found of this.#scanner.push(chunk)) {
      if (found.kind === 'report') this.#onReport(found);
      // Between commands only what was left in the background writes; nobody waits for it.
      else if (this.#phase !== 'starting') this.#job?.onBytes(found.bytes);
    }
  }

  #onReport(report: Extract<Scanned, { kind: 'report' }>): void {
    this.#unreadStates++;
    if (report.cwd !== '') this.#cwd = report.cwd;
    if (this.#phase === 'starting') {
      // The last words of a shell that ends during start-up: its exit is on the way.
      if (report.last) return;
      clearTimeout(this.#startupTimer);
      this.#phase = 'living';
      return;
    }
    if (report.last) {
      this.#phase = 'dead';
      this.#lastStatus = report.status;
    }
    if (!report.last || this.#options.program.dialect !== 'bash') this.#settle(report.status);
  }

  #onState(text: string): void {
    const { unfinished, frames } = readState(this.#unfinishedState, text);
    this.#unfinishedState = unfinished.length > maxStateChars ? '' : unfinished;
    for (const { letter, text: said } of frames) {
      // Our own trap is in it, with what differs from shell to shell.
      if (letter === 'm') this.#meanings = withoutSecret(said, this.#secret);
      if (letter === 'e') {
        this.#state = { ...this.#state, exports: said };
        this.#unreadStates--;
        this.#first ??= { exports: said, meanings: this.#meanings };
      }
      if (letter === 'd') {
        this.#state = { ...this.#state, definitions: said };
        // A shell that ends says what the next one must know last.
        if (this.#lastStatus !== undefined) this.#settle(this.#lastStatus);
      }
    }
  }

  #settle(status: number): void {
    const job = this.#job;
    if (job !== undefined && !job.stopping) job.settle({ ended: 'exit', status });
  }

  /** The shell ended without a report: it was replaced (`exec`), killed, or its trap was overwritten. */
  async #onExit(status: number): Promise<void> {
    clearTimeout(this.#startupTimer);
    const ended = this.#phase === 'starting' || this.#phase === 'failed' ? 'startup' : 'exit';
    this.#phase = 'dead';
    this.#options.onEnded(this.pid);
    const job = this.#job;
    if (job === undefined || job.stopping) return;
    if (this.#reader !== null) await drained(this.#reader);
    if (this.#job !== job || job.stopping) return;
    this.#flush(job);
    job.settle({ ended, status: this.#lastStatus ?? status });
  }

  /** Hands over bytes that looked like the start of a report. */
  #flush(job: RunningJob): void {
    const rest = this.#scanner.flush();
    if (rest.length > 0) job.onBytes(rest);
  }

  async #stop(reason: 'timeout' | 'interrupt'): Promise<void> {
    const job = this.#job;
    if (job === undefined || job.stopping) return;
    job.stopping = true;
    await this.#kill();
    if (this.#reader !== null) await drained(this.#reader);
    this.#flush(job);
    job.settle({ ended: reason, status: reason === 'timeout' ? 124 : 130 });
  }

  async #failStartup(): Promise<void> {
    if (this.#phase !== 'starting') return;
    this.#phase = 'failed';
    await this.#kill();
  }

  #kill(): Promise<void> {
    if (this.#phase !== 'failed') this.#phase = 'dead';
    const { mark, entrance } = this.#options;
    return killTree({ leaders: [this.pid], mark, killFirst: this.pid, isLed: entrance?.isLed ?? false });
  }

  /** A running command keeps our process alive, an idle shell does not. */
  #hold(busy: boolean): void {
    if (busy) this.#child.ref();
    else this.#child.unref();
    for (const stream of [this.#reader, ...this.#child.stdio]) {
      if (busy) refStream(stream);
      else unrefStream(stream);
    }
  }
}

function withoutSecret(text: string, secret: string): string {
  return text.replaceAll(secret.slice(0, 16), '').replaceAll(secret.slice(16), '');
}

/** Exit code of a process, 128 + n after signal n. */
export function exitStatus(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

const quietMs = 30;
const drainLimitMs = 300;

/** Resolves when a dead writer's output has been read: at its end, or (others hold the pipe open) when it falls quiet. */
export function drained(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(limit);
      clearTimeout(quiet);
      stream.off('data', again).off('end', finish).off('close', finish);
      resolve();
    };
    const again = (): void => void quiet.refresh();
    const limit = setTimeout(finish, drainLimitMs);
    const quiet = setTimeout(finish, quietMs);
    stream.on('data', again).on('end', finish).on('close', finish);
  });
}

function feed(stream: unknown, text: string): void {
  if (!(stream instanceof Socket)) return;
  // A command that does not read its input closes it early: EPIPE is then no failure.
  stream.on('error', () => undefined);
  stream.end(text);
}
