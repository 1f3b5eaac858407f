/** Keeps the shell that commands run in, and carries its state to the next one. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { findShell, type ShellProgram } from './find-shell.ts';
import type { OwnProcesses } from './own-processes.ts';
import { type ShellOutcome, type ShellSession, type ShellState, startShell } from './shell-session.ts';
import { exportLines, type ShellBeginning, unsetLines } from './shell-text.ts';

export interface ShellKeeperOptions {
  readonly processes: OwnProcesses;
  readonly log: Log;
  /** What every shell starts with, before anything is provided. */
  readonly env: Readonly<Record<string, string>>;
  /** `PATH` as the caller has it. */
  readonly searchPath: string | undefined;
  /** The user's directory, whose start-up files are read. */
  readonly userHome: string;
  /** Files sourced after the login profile, absolute. */
  readonly initFiles: readonly string[];
  readonly autoSourceBashrc: boolean;
  /** Where a new shell starts. */
  readonly cwd: () => string;
  /** Where shells run that are kept apart; absent: beside us. */
  readonly enclosure?: Enclosure;
}

export interface Entrance {
  /** Words in front of a shell that make it start inside. */
  readonly prefix: readonly string[];
  /** They stay, and the shell is their child; otherwise the shell takes their place. */
  readonly isLed: boolean;
  /** Variables of everything inside, whatever start-up files say. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A place of shells with walls around it. */
export interface Enclosure {
  /** A folder in which we leave files for the shells inside. */
  readonly folder: string;
  /** What a shell needs to start inside. */
  enter(): Promise<Entrance>;
  /** What the first shell inside begins with; empty: what it reads itself. */
  firstState(): Promise<ShellState>;
}

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  /** Tells this directory from one that takes its place. */
  readonly cwdIdentity: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What the command reads; a command with input gets a shell of its own. */
  readonly stdin: string | undefined;
  readonly onBytes: (bytes: Buffer) => void;
}

/** Variables by which the loader of a program brings other code. */
export const loaderVariable = /^(?:LD_|DYLD_|GLIBC_|MALLOC_|LIBPATH$|LOCPATH$|NLSPATH$|GCONV_PATH$)/;

export class ShellKeeper {
  readonly #options: ShellKeeperOptions;
  readonly #shells = new Set<ShellSession>();
  /** What each shell that lives was given. */
  readonly #given = new WeakMap<ShellSession, Readonly<Record<string, string>>>();
  /** The directory that each shell has really stood in with its last command. */
  readonly #stood = new WeakMap<ShellSession, string>();
  #provided: Readonly<Record<string, string>> = {};
  /** Changes of exported variables that the living shell has not been given; without a value it loses them. */
  #pending = new Map<string, string | undefined>();
  #state: ShellState = { definitions: '', exports: '' };
  #starting: Promise<ShellSession> | undefined;
  #present: ShellSession | undefined;
  #program: ShellProgram | undefined;
  #initFilesWork = true;
  #startupNoted = false;

  constructor(options: ShellKeeperOptions) {
    this.#options = options;
  }

  get program(): ShellProgram {
    this.#program ??= findShell(this.#options.env);
    return this.#program;
  }

  /** Where files for these shells lie. */
  get folder(): string {
    return this.#options.enclosure?.folder ?? this.#options.processes.scratch;
  }

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
  }

  /** Gives the shell, before its next command, what another one has exported or dropped. */
  hand(changes: ReadonlyMap<string, string | undefined>): void {
    for (const [name, value] of changes) this.#pending.set(name, value);
  }

  /** What the last shell has to pass on; empty before there was one. */
  async latestState(): Promise<ShellState> {
    // What the present shell, alive or not, has to pass on.
    if (this.#present !== undefined) this.#state = await this.#present.latestState();
    return this.#state;
  }

  /** Lets the shell end; the next command gets a new one with the same state. */
  async renew(): Promise<void> {
    const present = await this.#starting?.catch(() => undefined);
    if (present?.alive === true) await present.end();
  }

  /** The environment of one new process tree; `fixed` is the part that start-up files must not change. */
  markedEnv(more: Readonly<Record<string, string>> = {}): {
    readonly env: Readonly<Record<string, string>>;
    readonly fixed: Readonly<Record<string, string>>;
    readonly mark: string;
  } {
    const { variable, mark } = this.#options.processes.nextMark();
    const fixed = { ...variable, ...more };
    const env = { ...this.#options.env, ...this.#provided, ...fixed };
    if (this.#options.enclosure === undefined) return { env, fixed, mark };
    // What leads into the enclosure runs outside of it, and must load nothing that was written inside.
    const loading = Object.entries(env).filter(([name]) => loaderVariable.test(name));
    const loaded = new Set(loading.map(([name]) => name));
    return {
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !loaded.has(name))),
      fixed: { ...fixed, ...Object.fromEntries(loading) },
      mark,
    };
  }

  /** Runs in the living shell, or in one of its own when it needs input; tries once more without start-up files. */
  async run(request: ShellRequest): Promise<{ readonly outcome: ShellOutcome; readonly shell: ShellSession }> {
    const { command, stdin } = request;
    const own = stdin !== undefined;
    const deadline = Date.now() + request.timeoutMs;
    for (;;) {
      const shell = own ? await this.#newShell(stdin) : await this.#persistentShell();
      await this.#giveProvided(shell, request);
      await this.#givePending(shell, request);
      const timeoutMs = Math.max(1, deadline - Date.now());
      // A directory that was deleted and made again has the old name, and the shell stands in the old one.
      const stands = shell.cwd === request.cwd && [undefined, request.cwdIdentity].includes(this.#stood.get(shell));
      const cwd = stands ? undefined : request.cwd;
      const { signal, onBytes } = request;
      const outcome = await shell.run(command, { cwd, timeoutMs, signal, onBytes });
      if (own) shell.retire();
      if (shell.cwd === request.cwd) this.#stood.set(shell, request.cwdIdentity);
      else this.#stood.delete(shell);
      if (outcome.ended !== 'startup') return { outcome, shell };
      if (!this.#initFilesWork) {
        throw new UserError(`The shell ${this.program.path} cannot be started (exit code ${outcome.status}).`);
      }
      this.#options.log.warning(`the start-up files ended or blocked ${this.program.path}; going on without them`);
      this.#initFilesWork = false;
    }
  }

  /** Once, when commands run without the start-up files. */
  takeStartupNote(): string | undefined {
    if (this.#initFilesWork || this.#startupNoted) return undefined;
    this.#startupNoted = true;
    return 'The shell start-up files ended or blocked the shell, so commands run without them.';
  }

  /**
   * The state of the last shell once there is one, which also spares the time of the start-up files. Before that, what
   * a login shell reads, then what the settings name.
   */
  async beginning(): Promise<ShellBeginning> {
    const { enclosure } = this.#options;
    await this.latestState();
    if (this.#present === undefined && enclosure !== undefined) this.#state = await enclosure.firstState();
    const { definitions, exports } = this.#state;
    const bash = this.program.dialect === 'bash';
    if ((bash ? definitions : exports) !== '') {
      const file = join(this.folder, 'state');
      // Replaced, not rewritten: another shell may be reading it.
      writeFileSync(`${file}.new`, `${definitions}\n${exports}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return { files: [file] };
    }
    if (!this.#initFilesWork) return { files: [] };
    const { autoSourceBashrc, initFiles, userHome, searchPath } = this.#options;
    const bashrc = bash && autoSourceBashrc && initFiles.length === 0 ? [join(userHome, '.bashrc')] : [];
    const profiles = bash ? ['.bash_profile', '.bash_login', '.profile'] : ['.profile'];
    const profile = profiles.map((name) => join(userHome, name)).find((path) => existsSync(path));
    const files = ['/etc/profile', ...(profile === undefined ? [] : [profile]), ...bashrc, ...initFiles];
    return { files, ...(searchPath === undefined || searchPath === '' ? {} : { searchPath }) };
  }

  /** Resolves when no shell is being started any more. */
  async settled(): Promise<void> {
    // Whoever asked for that shell has been told why there is none.
    await this.#starting?.catch(() => undefined);
  }

  /** For after everything was killed. */
  release(): void {
    for (const shell of this.#shells) shell.release();
  }

  /** A shell that was started before something was provided gets it now, in a command of its own that nobody sees. */
  async #giveProvided(shell: ShellSession, { timeoutMs, signal }: ShellRequest): Promise<void> {
    const provided = this.#provided;
    if (this.#given.get(shell) === provided) return;
    const text = exportLines(provided).join('\n');
    const { ended } = await shell.run(text, { timeoutMs, signal, cwd: undefined, onBytes: () => undefined });
    if (ended === 'exit') this.#given.set(shell, provided);
  }

  async #givePending(shell: ShellSession, { timeoutMs, signal }: ShellRequest): Promise<void> {
    if (this.#pending.size === 0) return;
    const pending = [...this.#pending];
    const text = [
      ...exportLines(
        Object.fromEntries(pending.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      ),
      ...unsetLines(pending.flatMap(([name, value]) => (value === undefined ? [name] : []))),
    ].join('\n');
    const { ended } = await shell.run(text, { timeoutMs, signal, cwd: undefined, onBytes: () => undefined });
    if (ended === 'exit') this.#pending = new Map();
  }

  /** Each call waits for the one before it, so that commands share one shell. */
  #persistentShell(): Promise<ShellSession> {
    this.#starting = this.settled().then(async () => {
      if (this.#present?.alive !== true) this.#present = await this.#newShell(undefined);
      return this.#present;
    });
    return this.#starting;
  }

  async #newShell(stdin: string | undefined): Promise<ShellSession> {
    const { processes, cwd, enclosure } = this.#options;
    const provided = this.#provided;
    const entrance = await enclosure?.enter();
    const shell = await startShell({
      program: this.program,
      ...(entrance === undefined ? {} : { entrance }),
      ...this.markedEnv(entrance?.variables),
      cwd: cwd(),
      beginning: await this.beginning(),
      state: this.#state,
      ...(stdin === undefined ? {} : { stdin }),
      scratch: processes.scratch,
      onStarted: (pid) => processes.watch(pid),
      onEnded: (pid) => processes.forget(pid),
    });
    for (const old of this.#shells) if (old.finished) this.#shells.delete(old);
    this.#shells.add(shell);
    this.#given.set(shell, provided);
    return shell;
  }
}
