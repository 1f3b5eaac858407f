/** Commands and files of another host: the one implementation behind all terminal backends but `local`. */
import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { UserError } from '../../lib/errors.ts';
import { InTurn } from '../../lib/in-turn.ts';
import { type Log, noLog } from '../../lib/log.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type {
  BackgroundProcess,
  Environment,
  FileSystem,
  ProgramEnd,
  ProgramRun,
  RunOptions,
  RunResult,
} from '../environment.ts';
import type { Report, ScriptOutcome } from './call-script.ts';
import type { RemoteHost } from './host.ts';
import { programBeside } from './program-beside.ts';
import { watchBackground } from './remote-background.ts';
import { createRemoteFiles } from './remote-files.ts';
import { type ReadyPlace, RemotePlace } from './remote-place.ts';
import { processId, runUntilStopped, type StoppedRun } from './run-until-stopped.ts';
import { backgroundScript, type CommandScript, commandScript, noDirectory, programScript } from './script-text.ts';

export interface RemoteEnvironmentOptions {
  readonly host: RemoteHost;
  /** Where the first command starts: absolute there, or with `~` in front. */
  readonly cwd: string;
  /** What commands get of this machine's environment: what the settings pass on, and nothing else. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Files of the host, sourced after the login profile. */
  readonly shellInitFiles?: readonly string[];
  /** Sources `~/.bashrc` when `shellInitFiles` is empty. Default true. */
  readonly autoSourceBashrc?: boolean;
  /** Characters kept of one command's output. Default 50,000. */
  readonly maxOutputChars?: number;
  /** What background processes get to end before they are ended by force; 0 leaves them be. Default 2000. */
  readonly graceMs?: number;
  readonly log?: Log;
  /** Brings files over; absent where nothing is to be brought. */
  readonly sync?: PlaceSync;
}

/** What goes over to the host before its commands, and comes back at the end. */
export interface PlaceSync {
  /** Called before each command and program; decides itself whether it is time. */
  before(place: RemotePlace, home: string): Promise<void>;
  /** Called once, when a host that was used is closed. */
  atClose(place: RemotePlace, home: string): Promise<void>;
}

const defaultMaxOutputChars = 50_000;
const defaultGraceMs = 2000;
const maxStderrChars = 10_000;
const spawnLimitMs = 60_000;

/** Opens nothing before the first command. */
export function createRemoteEnvironment(options: RemoteEnvironmentOptions): Environment {
  return new RemoteEnvironment(options);
}

class RemoteEnvironment implements Environment {
  readonly files: FileSystem;
  /** Nothing is ever confined here. */
  readonly shellIsAltered = false;
  readonly #options: RemoteEnvironmentOptions;
  readonly #place: RemotePlace;
  readonly #log: Log;
  /** Undefined until the host has said where a command starts. */
  #cwd: string | undefined;
  readonly #commands = new InTurn();
  #closing: Promise<void> | undefined;
  #provided: Readonly<Record<string, string>> = {};
  /** What the kept state already has of it. */
  #given: Readonly<Record<string, string>> = {};

  constructor(options: RemoteEnvironmentOptions) {
    const { host, cwd, variables = {}, shellInitFiles = [], autoSourceBashrc = true, log = noLog } = options;
    this.#options = options;
    this.#log = log;
    this.#place = new RemotePlace(host, { cwd, variables, initFiles: shellInitFiles, autoSourceBashrc, log });
    this.files = createRemoteFiles(
      this.#place,
      () => this.cwd,
      (signal) => this.#ready(signal ?? this.#place.closed),
    );
  }

  get kind(): Exclude<Environment['kind'], 'local'> {
    return this.#options.host.kind;
  }

  get cwd(): string {
    return this.#cwd ?? this.#options.cwd;
  }

  run(command: string, options: RunOptions): Promise<RunResult> {
    return this.#commands.run(() => this.#runNow(command, options));
  }

  async runProgram(
    argv: readonly string[],
    options: Parameters<Environment['runProgram']>[1],
  ): ReturnType<Environment['runProgram']> {
    if (argv.length === 0) throw new TypeError('runProgram needs the name of a program');
    const { ground } = await this.#ready(options.signal);
    const decoders = { out: new StringDecoder('utf8'), err: new StringDecoder('utf8') };
    let output = '';
    let stderr = '';
    let total = 0;
    const { outcome, stopped } = await this.#runScript({
      options,
      ground,
      // What is provided is not in the state from before all commands.
      variables: this.#provided,
      script: (made) => programScript(made, argv, maxStderrChars),
      onBytes: (bytes, ended) => {
        if (ended) {
          stderr += decoders.err.write(bytes);
          return;
        }
        const text = decoders.out.write(bytes);
        total += text.length;
        output += text.slice(0, Math.max(0, options.maxOutput - output.length));
      },
    });
    if (outcome?.begun?.status === noDirectory) throw notFound(`no directory ${options.cwd ?? this.cwd}`);
    if (stopped === undefined && outcome?.ended?.status === 127 && output === '' && stderr === '') {
      throw notFound(`spawn ${argv[0]}`);
    }
    const exitCode = stopped === undefined ? statusOf(outcome) : stopped === 'timeout' ? 124 : 130;
    return { output, stderr, exitCode, truncated: total > options.maxOutput };
  }

  async runBeside(run: ProgramRun): Promise<ProgramEnd> {
    this.#place.refuseWhenClosed();
    if (run.confinement !== undefined) throw new UserError(this.#cannotConfine());
    const { ground } = await this.#ready(run.signal);
    const name = newRun();
    return await programBeside(run, {
      place: this.#place,
      ground,
      run: name,
      provided: this.#provided,
      variables: async (signal) => {
        const argv = ['bash', '-c', 'compgen -e'];
        const { output } = await this.runProgram(argv, { timeoutMs: 20_000, signal, maxOutput: 1_000_000 });
        return output.split('\n').filter((line) => line !== '');
      },
      start: ({ argv, cwd, variables, onBytes }) =>
        this.#runScript({
          options: { cwd, timeoutMs: run.timeoutMs, signal: run.signal },
          ground,
          variables,
          run: name,
          script: (made) => programScript(made, argv, maxStderrChars),
          onBytes,
        }),
    });
  }

  async findProgram(name: string): Promise<string | undefined> {
    const found = await this.runProgram(['bash', '-c', 'type -P -- "$1"', 'bash', name], {
      timeoutMs: 20_000,
      signal: this.#place.closed,
      maxOutput: 4096,
    });
    const path = found.output.replace(/\n$/, '');
    return found.exitCode === 0 && path.startsWith('/') ? path : undefined;
  }

  async spawn(command: string, options: Parameters<Environment['spawn']>[1]): Promise<BackgroundProcess> {
    if (options.confinement !== undefined) throw new UserError(this.#cannotConfine());
    const { ground } = await this.#ready(this.#place.closed);
    if (command.includes('\0')) throw new UserError('The command contains a NUL character and was not started.');
    const run = newRun();
    const cwd = this.#directory(options.cwd);
    const { begun, ended } = await this.#place.call({
      script: (secret) =>
        backgroundScript({ ground, secret, run, cwd, hasStdin: false, variables: this.#ungiven() }, command),
      timeoutMs: spawnLimitMs,
      signal: AbortSignal.any([this.#place.closed, AbortSignal.timeout(spawnLimitMs)]),
    });
    if (begun?.status === noDirectory) throw new UserError(`Cannot start in ${cwd}: there is no such directory.`);
    if (ended === undefined) throw new UserError(`${this.#options.host.name} could not start the command.`);
    const pid = processId(ended.text);
    if (pid === undefined) throw new UserError(`${this.#options.host.name} could not start the command.`);
    const graceMs = this.#options.graceMs ?? defaultGraceMs;
    return watchBackground({ place: this.#place, ground, run, pid, graceMs });
  }

  confinementProblem(): Promise<string | undefined> {
    return Promise.resolve(this.#cannotConfine());
  }

  /** Nothing is confined there. */
  keepsGitSettings(): Promise<boolean> {
    return Promise.resolve(true);
  }

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { sync } = this.#options;
    const present = this.#place.present;
    this.#place.beginClosing();
    await this.#commands.ended();
    if (sync !== undefined && present !== undefined) {
      await sync.atClose(this.#place, present.home).catch((error: unknown) => {
        this.#log.warning(`${this.#options.host.name}: files that were changed there could not be brought back`, error);
      });
    }
    await this.#place.close();
  }

  #cannotConfine(): string {
    return `Commands cannot be confined on another host (${this.#options.host.name}).`;
  }

  async #ready(signal: AbortSignal): Promise<ReadyPlace> {
    const ready = await this.#place.ready(signal);
    this.#cwd ??= ready.cwd;
    await this.#options.sync?.before(this.#place, ready.home);
    return ready;
  }

  #directory(asked: string | undefined): string {
    return asked === undefined ? this.cwd : this.files.resolve(asked);
  }

  /** What was provided since the kept state last took it in. */
  #ungiven(): Readonly<Record<string, string>> {
    return this.#given === this.#provided ? {} : this.#provided;
  }

  async #runNow(command: string, options: RunOptions): Promise<RunResult> {
    this.#place.refuseWhenClosed();
    if (options.confinement !== undefined) throw new UserError(this.#cannotConfine());
    if (options.signal.aborted) return refusal('', 130, 'interrupt');
    if (command.includes('\0')) return refusal('The command contains a NUL character and was not run.\n', 1);
    const ready = await this.#ready(options.signal).catch((error: unknown) => {
      if (options.signal.aborted) return undefined;
      throw error;
    });
    if (ready === undefined) return refusal('', 130, 'interrupt');
    const output = new BoundedOutput(this.#options.maxOutputChars ?? defaultMaxOutputChars);
    const decoder = new StringDecoder('utf8');
    const take = (text: string): void => {
      if (text === '') return;
      output.push(text);
      options.onOutput?.(text);
    };
    const provided = this.#provided;
    const { outcome, stopped, survived } = await this.#runScript({
      // From now on: fetching an image has a deadline of its own, and says so.
      options,
      ground: ready.ground,
      variables: this.#ungiven(),
      script: (made) => commandScript(made, command),
      onBytes: (bytes) => take(decoder.write(bytes)),
    });
    take(decoder.end());
    const begun = outcome?.begun;
    if (begun?.status === noDirectory) return this.#refuseDirectory(directoryOf(begun), options.cwd);
    const ended = outcome?.ended;
    if (ended !== undefined) {
      this.#given = provided;
      if (options.cwd === undefined && ended.text !== '') this.#cwd = ended.text;
    }
    const note = survived ? `Something of the command may still run on ${this.#options.host.name}.` : takeNote(ready);
    return {
      output: output.text(),
      totalChars: output.totalChars,
      exitCode: stopped === undefined ? statusOf(outcome) : stopped === 'timeout' ? 124 : 130,
      ended: stopped ?? 'exit',
      ...(note === undefined ? {} : { note }),
    };
  }

  async #runScript(job: {
    readonly options: { cwd?: string; timeoutMs: number; signal: AbortSignal; stdin?: string };
    readonly ground: ReadyPlace['ground'];
    readonly variables: Readonly<Record<string, string>>;
    readonly script: (made: CommandScript) => string;
    readonly onBytes: (bytes: Buffer, ended: boolean) => void;
    readonly run?: string;
  }): Promise<StoppedRun> {
    const { options, ground, variables, run = newRun() } = job;
    const { stdin, timeoutMs, signal } = options;
    const cwd = this.#directory(options.cwd);
    return await runUntilStopped(this.#place, {
      run,
      timeoutMs,
      signal,
      ...(stdin === undefined ? {} : { stdin }),
      script: (secret) => job.script({ ground, secret, run, cwd, variables, hasStdin: stdin !== undefined }),
      onBytes: job.onBytes,
    });
  }

  /** A command is never run in another directory than it was meant for. */
  #refuseDirectory(nearest: string, asked: string | undefined): RunResult {
    if (asked !== undefined) {
      return refusal(`There is no directory ${this.#directory(asked)}; the command was not run.\n`, 1);
    }
    const gone = this.cwd;
    this.#cwd = nearest;
    return refusal(
      `The working directory ${gone} no longer exists; the command was not run. The working directory is now ${nearest}.\n`,
      1,
    );
  }
}

function newRun(): string {
  return randomBytes(12).toString('hex');
}

/** The directory in a first report: a process id, a space, a path. */
function directoryOf({ text }: Report): string {
  return text.slice(text.indexOf(' ') + 1);
}

/** Without a last report the shell was killed or replaced, and the host knows its status. */
function statusOf(outcome: ScriptOutcome | undefined): number {
  return outcome?.ended?.status ?? outcome?.end?.exitCode ?? 1;
}

function takeNote(ready: ReadyPlace): string | undefined {
  const { note } = ready;
  ready.note = undefined;
  return note;
}

function refusal(output: string, exitCode: number, ended: RunResult['ended'] = 'exit'): RunResult {
  return { output, totalChars: output.length, exitCode, ended };
}

function notFound(what: string): Error {
  return Object.assign(new Error(`${what} ENOENT`), { code: 'ENOENT' });
}
