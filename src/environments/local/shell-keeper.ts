/** Keeps the shell that commands run in, and carries its state to the next one. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { findShell, type ShellProgram } from './find-shell.ts';
import type { OwnProcesses } from './own-processes.ts';
import { type ShellOutcome, type ShellSession, type ShellState, startShell } from './shell-session.ts';
import { exportLines } from './shell-text.ts';

export interface ShellKeeperOptions {
  readonly processes: OwnProcesses;
  readonly log: Log;
  /** What every shell starts with, before anything is provided. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's directory, whose start-up files are read. */
  readonly userHome: string;
  /** Files sourced after the login profile, absolute. */
  readonly initFiles: readonly string[];
  readonly autoSourceBashrc: boolean;
  /** Where a new shell starts. */
  readonly cwd: () => string;
}

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What the command reads; a command with input gets a shell of its own. */
  readonly stdin: string | undefined;
  readonly onBytes: (bytes: Buffer) => void;
}

export class ShellKeeper {
  readonly #options: ShellKeeperOptions;
  readonly #shells = new Set<ShellSession>();
  /** What each shell that lives was given. */
  readonly #given = new WeakMap<ShellSession, Readonly<Record<string, string>>>();
  #provided: Readonly<Record<string, string>> = {};
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

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
  }

  /** The environment of one new process tree; `fixed` is the part that start-up files must not change. */
  markedEnv(more: Readonly<Record<string, string>> = {}): {
    readonly env: Readonly<Record<string, string>>;
    readonly fixed: Readonly<Record<string, string>>;
    readonly mark: string;
  } {
    const { variable, mark } = this.#options.processes.nextMark();
    const fixed = { ...variable, ...more };
    return { env: { ...this.#options.env, ...this.#provided, ...fixed }, fixed, mark };
  }

  /** Runs in the living shell, or in one of its own when it needs input; tries once more without start-up files. */
  async run(request: ShellRequest): Promise<{ readonly outcome: ShellOutcome; readonly shell: ShellSession }> {
    const { command, stdin } = request;
    const own = stdin !== undefined;
    const deadline = Date.now() + request.timeoutMs;
    for (;;) {
      const shell = own ? await this.#newShell(stdin) : await this.#persistentShell();
      await this.#giveProvided(shell, request);
      const timeoutMs = Math.max(1, deadline - Date.now());
      const cwd = shell.cwd === request.cwd ? undefined : request.cwd;
      const { signal, onBytes } = request;
      const outcome = await shell.run(command, { cwd, timeoutMs, signal, onBytes });
      if (own) shell.retire();
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
  async initFiles(): Promise<string[]> {
    // What the present shell, alive or not, has to pass on.
    if (this.#present !== undefined) this.#state = await this.#present.latestState();
    const { definitions, exports } = this.#state;
    const bash = this.program.dialect === 'bash';
    if ((bash ? definitions : exports) !== '') {
      const file = join(this.#options.processes.scratch, 'state');
      // Replaced, not rewritten: another shell may be reading it.
      writeFileSync(`${file}.new`, `${definitions}\n${exports}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return [file];
    }
    if (!this.#initFilesWork) return [];
    const { autoSourceBashrc, initFiles, userHome } = this.#options;
    const bashrc = bash && autoSourceBashrc && initFiles.length === 0 ? [join(userHome, '.bashrc')] : [];
    const profiles = bash ? ['.bash_profile', '.bash_login', '.profile'] : ['.profile'];
    const profile = profiles.map((name) => join(userHome, name)).find((path) => existsSync(path));
    return ['/etc/profile', ...(profile === undefined ? [] : [profile]), ...bashrc, ...initFiles];
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

  /** Each call waits for the one before it, so that commands share one shell. */
  #persistentShell(): Promise<ShellSession> {
    this.#starting = this.settled().then(async () => {
      if (this.#present?.alive !== true) this.#present = await this.#newShell(undefined);
      return this.#present;
    });
    return this.#starting;
  }

  async #newShell(stdin: string | undefined): Promise<ShellSession> {
    const { processes, cwd } = this.#options;
    const provided = this.#provided;
    const shell = await startShell({
      program: this.program,
      ...this.markedEnv(),
      cwd: cwd(),
      initFiles: await this.initFiles(),
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
