/** Commands and files on this machine. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { proxyVariables } from '../../config/proxy-variables.ts';
import type { Variables } from '../../config/variables.ts';
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
import { spawnInTerminal, spawnWithPipes } from './background.ts';
import { completePath, searchPath } from './find-shell.ts';
import { createLocalFiles } from './local-files.ts';
import { OwnProcesses } from './own-processes.ts';
import { runProgram } from './run-program.ts';
import type { ConfinedPlace } from './sandbox/confined-place.ts';
import type { SandboxPlaces } from './sandbox/places.ts';
import { ShellKeeper, type ShellKeeperOptions } from './shell-keeper.ts';
import type { ShellOutcome } from './shell-session.ts';
import { over } from '../../lib/over.ts';

export interface LocalEnvironmentOptions {
  /** Where the first command starts; absolute. */
  readonly cwd: string;
  /** What commands may see, already without our own secrets. */
  readonly env: Variables;
  /** Files sourced after the login profile. */
  readonly shellInitFiles?: readonly string[];
  /** Sources `~/.bashrc` when `shellInitFiles` is empty. Default true. */
  readonly autoSourceBashrc?: boolean;
  readonly sessionId: string;
  /** The active home; commands see it as `HERMES_HOME`. */
  readonly homePath: string;
  /** Characters kept of one command's output. Default 50,000. */
  readonly maxOutputChars?: number;
  /** What background processes get to end before they are ended by force; 0 leaves them be. Default 2000. */
  readonly graceMs?: number;
  /**
   * Brings, for the first confined command, what tells before each of them what they see and change; absent: nothing
   * can be confined.
   */
  readonly loadSandboxPlaces?: () => Promise<() => SandboxPlaces>;
  readonly log?: Log;
}

const defaultMaxOutputChars = 50_000;
const defaultGraceMs = 2000;
const noSandbox = 'The sandbox of this session is switched off (terminal.sandbox).';

/** Commands on this machine. Nothing is started before the first command. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly kind = 'local';
  readonly files: FileSystem;
  readonly #log: Log;
  readonly #path: string;
  readonly #maxOutputChars: number;
  readonly #graceMs: number;
  readonly #processes: OwnProcesses;
  readonly #shellOptions: ShellKeeperOptions;
  /** With all rights of the person. */
  readonly #shells: ShellKeeper;
  readonly #loadSandboxPlaces: LocalEnvironmentOptions['loadSandboxPlaces'];
  #confined: Promise<ConfinedPlace> | undefined;
  #present: ConfinedPlace | undefined;
  #problem: Promise<string | undefined> | undefined;
  readonly #closed = new AbortController();
  #cwd: string;
  #provided: Readonly<Record<string, string>> = {};
  readonly #commands = new InTurn();

  constructor(options: LocalEnvironmentOptions) {
    this.#log = options.log ?? noLog;
    this.#cwd = options.cwd;
    this.#path = completePath(options.env['PATH']);
    this.#maxOutputChars = options.maxOutputChars ?? defaultMaxOutputChars;
    this.#graceMs = options.graceMs ?? defaultGraceMs;
    this.#processes = new OwnProcesses(this.#log);
    const userHome = options.env['HOME'] ?? homedir();
    this.files = createLocalFiles(() => this.#cwd, userHome);
    this.#loadSandboxPlaces = options.loadSandboxPlaces;
    this.#shellOptions = {
      processes: this.#processes,
      log: this.#log,
      env: {
        ...definedOnly(options.env),
        PATH: this.#path,
        HERMES_SESSION_ID: options.sessionId,
        HERMES_HOME: options.homePath,
      },
      userHome,
      searchPath: options.env['PATH'],
      initFiles: (options.shellInitFiles ?? []).map((file) => this.files.resolve(file)),
      autoSourceBashrc: options.autoSourceBashrc ?? true,
      cwd: () => this.#cwd,
    };
    this.#shells = new ShellKeeper(this.#shellOptions);
  }

  get cwd(): string {
    return this.#cwd;
  }

  get shellIsAltered(): boolean {
    return this.#present?.isAltered ?? false;
  }

  run(command: string, options: RunOptions): Promise<RunResult> {
    return this.#commands.run(() => this.#runNow(command, options));
  }

  async runProgram(
    argv: readonly string[],
    options: Parameters<Environment['runProgram']>[1],
  ): ReturnType<Environment['runProgram']> {
    this.#refuseWhenClosed();
    const { env, mark } = this.#shells.markedEnv();
    const cwd = resolve(this.#cwd, options.cwd ?? '');
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    return await runProgram(argv, { ...options, cwd, signal }, env, mark);
  }

  async runBeside(run: ProgramRun): Promise<ProgramEnd> {
    this.#refuseWhenClosed();
    const { confinement } = run;
    const place = confinement === undefined ? undefined : await this.#enterConfined();
    const entrance = confinement === undefined ? undefined : await place?.entrance(confinement);
    const { runBeside } = await import('./run-beside.ts');
    return await runBeside(
      { ...run, signal: AbortSignal.any([run.signal, this.#closed.signal]) },
      {
        processes: this.#processes,
        folder: (place?.shells ?? this.#shells).folder,
        entrance,
        isHidden: (cwd) => place?.hides(cwd) === true,
        own: this.#shellOptions.env,
        provided: this.#provided,
      },
    );
  }

  async findProgram(name: string): Promise<string | undefined> {
    if (name === 'rg') {
      const bundled = await import('@vscode/ripgrep').then(
        (module) => searchPath(module.rgPath, undefined),
        (error: unknown) => {
          this.#log.debug('no ripgrep came with the program', error);
          return undefined;
        },
      );
      if (bundled !== undefined) return bundled;
    }
    return searchPath(name, this.#path);
  }

  async spawn(command: string, options: Parameters<Environment['spawn']>[1]): Promise<BackgroundProcess> {
    this.#refuseWhenClosed();
    const { confinement } = options;
    const place = confinement === undefined ? undefined : await this.#enterConfined();
    const entrance = confinement === undefined ? undefined : await place?.entrance(confinement);
    const shells = place?.shells ?? this.#shells;
    const cwd = resolve(this.#cwd, options.cwd ?? '');
    if (!(await isDirectory(cwd))) throw new UserError(`Cannot start in ${cwd}: there is no such directory.`);
    const what = {
      ...shells.markedEnv({ PYTHONUNBUFFERED: '1', ...entrance?.variables }),
      program: shells.program,
      prefix: entrance?.prefix ?? [],
      terminalMaker: entrance?.terminalMaker,
      command,
      cwd,
      beginning: await shells.beginning(),
      scratch: this.#processes.scratch,
      scriptFolder: shells.folder,
      graceMs: this.#graceMs,
    };
    const started = await (options.pty ? spawnInTerminal(what) : spawnWithPipes(what)).catch((error: unknown) => {
      if (!options.pty) throw error;
      this.#log.warning('no terminal could be made for a background process; it gets pipes', error);
      return spawnWithPipes(what);
    });
    this.#processes.watch(started.pid);
    void started.exited.then(() => this.#processes.forget(started.pid));
    if (this.#closed.signal.aborted) await started.kill();
    if (entrance === undefined) return started;
    return { ...started, withheld: (output) => entrance.withheld(output, cwd) };
  }

  confinementProblem(): Promise<string | undefined> {
    this.#problem ??= this.#findProblem();
    return this.#problem;
  }

  async keepsGitSettings(folder: string): Promise<boolean> {
    return (await this.#present?.keepsGitSettings(folder)) ?? true;
  }

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
    this.#shells.provide(variables);
    this.#present?.shells.provide(variables);
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(over);
    await this.#shells.settled();
    await this.#present?.shells.settled();
    await this.#commands.ended();
    await this.#processes.endAll();
    await this.#present?.close();
    this.#present?.shells.release();
    this.#shells.release();
    this.#processes.release();
  }

  async #runNow(command: string, options: RunOptions): Promise<RunResult> {
    this.#refuseWhenClosed();
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    if (signal.aborted) return refusal('', 130, 'interrupt');
    if (command.includes('\0')) return refusal('The command contains a NUL character and was not run.\n', 1);
    const cwd = options.cwd === undefined ? this.#cwd : this.files.resolve(options.cwd);
    const cwdIdentity = await directoryIdentity(cwd);
    if (cwdIdentity === undefined) return await this.#refuseDirectory(cwd, options.cwd !== undefined);

    const output = new BoundedOutput(this.#maxOutputChars);
    const decoder = new StringDecoder('utf8');
    const take = (text: string): void => {
      if (text === '') return;
      output.push(text);
      options.onOutput?.(text);
    };
    const { confinement } = options;
    const place = confinement === undefined ? undefined : await this.#enterConfined();
    if (confinement !== undefined) await place?.prepare(confinement);
    if (place?.hides(cwd) === true) {
      const text = `The directory ${cwd} is hidden from confined commands; the command was not run.\n`;
      return { ...refusal(text, 1), withheld: [{ kind: 'read', what: cwd }] };
    }
    const shells = place?.shells ?? this.#shells;
    const { outcome, shell } = await shells.run({
      command,
      cwd,
      cwdIdentity,
      timeoutMs: options.timeoutMs,
      signal,
      stdin: options.stdin,
      onBytes: (bytes) => take(decoder.write(bytes)),
    });
    take(decoder.end());

    if (options.cwd === undefined) this.#cwd = shell.cwd;
    const inKeptShell = options.stdin === undefined;
    if (inKeptShell) await (place === undefined ? this.#present?.takeOutside(shell) : place.takeInside(shell));
    const note = this.#noteAbout(outcome, inKeptShell, shells);
    const text = output.text();
    const withheld = confinement === undefined ? [] : (place?.withheld(text, cwd, confinement) ?? []);
    return {
      output: text,
      totalChars: output.totalChars,
      exitCode: outcome.status,
      ended: outcome.ended === 'startup' ? 'exit' : outcome.ended,
      ...(note === undefined ? {} : { note }),
      ...(withheld.length === 0 ? {} : { withheld }),
    };
  }

  /** @throws UserError where nothing can be confined */
  async #enterConfined(): Promise<ConfinedPlace> {
    const problem = await this.confinementProblem();
    if (problem !== undefined) throw new UserError(`The command was not run: it cannot be confined. ${problem}`);
    return await this.#confinedPlace();
  }

  async #findProblem(): Promise<string | undefined> {
    if (this.#loadSandboxPlaces === undefined) return noSandbox;
    return await (await this.#confinedPlace()).problem();
  }

  #confinedPlace(): Promise<ConfinedPlace> {
    this.#confined ??= this.#makeConfinedPlace();
    return this.#confined;
  }

  /** The first confined command brings what others never need. */
  async #makeConfinedPlace(): Promise<ConfinedPlace> {
    const [{ ConfinedPlace }, places] = await Promise.all([
      import('./sandbox/confined-place.ts'),
      this.#loadSandboxPlaces?.(),
    ]);
    if (places === undefined) throw new UserError(noSandbox);
    const place = new ConfinedPlace({
      places,
      outside: this.#shells,
      shell: this.#shellOptions,
      processes: this.#processes,
      signal: this.#closed.signal,
      proxies: proxyVariables(this.#shellOptions.env),
      log: this.#log,
    });
    place.shells.provide(this.#provided);
    this.#present = place;
    return place;
  }

  #noteAbout(outcome: ShellOutcome, inKeptShell: boolean, shells: ShellKeeper): string | undefined {
    const startup = shells.takeStartupNote();
    if (startup !== undefined) return startup;
    if (!inKeptShell || outcome.ended === 'exit') return undefined;
    return `The shell was ended with everything it had started, and a new one continues in ${this.#cwd}; exported variables are kept; functions, aliases and other variables set since are lost.`;
  }

  /** A command is never run in another directory than it was meant for. */
  async #refuseDirectory(cwd: string, asked: boolean): Promise<RunResult> {
    if (asked) return refusal(`There is no directory ${cwd}; the command was not run.\n`, 1);
    let next = dirname(cwd);
    while (!(await isDirectory(next)) && next !== dirname(next)) next = dirname(next);
    this.#cwd = next;
    return refusal(
      `The working directory ${cwd} no longer exists; the command was not run. The working directory is now ${next}.\n`,
      1,
    );
  }

  #refuseWhenClosed(): void {
    if (this.#closed.signal.aborted) throw new UserError('The terminal environment of this session is closed.');
  }
}

function refusal(output: string, exitCode: number, ended: RunResult['ended'] = 'exit'): RunResult {
  return { output, totalChars: output.length, exitCode, ended };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await directoryIdentity(path)) !== undefined;
}

/** Tells a directory from one that takes its name later; `undefined` where there is none. */
async function directoryIdentity(path: string): Promise<string | undefined> {
  // Whatever keeps us from looking, a command cannot start there.
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : undefined;
}

function definedOnly(env: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
