/** Commands and files on this machine. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import { BoundedOutput } from '../bounded-output.ts';
import type { BackgroundProcess, Environment, FileSystem, RunOptions, RunResult } from '../environment.ts';
import { type BackgroundOptions, spawnInTerminal, spawnWithPipes } from './background.ts';
import { completePath, findShell, searchPath, type ShellProgram } from './find-shell.ts';
import { createLocalFiles } from './local-files.ts';
import { killTree } from './process-tree.ts';
import { runProgram } from './run-program.ts';
import { type ShellOutcome, type ShellSession, type ShellState, startShell } from './shell-session.ts';
import { exportLines } from './shell-text.ts';
import { Supervisor } from './supervisor.ts';

export interface LocalEnvironmentOptions {
  /** Where the first command starts; absolute. */
  readonly cwd: string;
  /** What commands may see, already without our own secrets. */
  readonly env: Variables;
  /** Files sourced after the login profile. */
  readonly shellInitFiles?: readonly string[];
  /** Sources `~/.bashrc` when `shellInitFiles` is empty. Default true. */
  readonly autoSourceBashrc?: boolean;
  /** One shell for all commands, which keeps directory, variables and functions. Default true. */
  readonly persistent?: boolean;
  readonly sessionId: string;
  /** The active home; commands see it as `HERMES_HOME`. */
  readonly homePath: string;
  /** Characters kept of one command's output. Default 50,000. */
  readonly maxOutputChars?: number;
}

const defaultMaxOutputChars = 50_000;
const markName = 'HERMES_SHELL_ID';

/** Commands on this machine. Nothing is started before `warm` or the first command. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly kind = 'local';
  readonly files: FileSystem;
  readonly #options: LocalEnvironmentOptions;
  readonly #env: Readonly<Record<string, string>>;
  /** Every process started here carries it, followed by a dot and a number. */
  readonly #id = randomBytes(16).toString('hex');
  /** Session leaders whose process group may still have members. */
  readonly #leaders = new Set<number>();
  readonly #shells = new Set<ShellSession>();
  #provided: Readonly<Record<string, string>> = {};
  /** What each shell that lives was given. */
  readonly #given = new WeakMap<ShellSession, Readonly<Record<string, string>>>();
  #nextMark = 1;
  #cwd: string;
  #state: ShellState = { definitions: '', exports: '' };
  #shell: Promise<ShellSession> | undefined;
  #present: ShellSession | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #program: ShellProgram | undefined;
  #ground: { readonly scratch: string; readonly supervisor: Supervisor } | undefined;
  #closed = new AbortController();
  #initFilesWork = true;
  #startupTold = false;

  constructor(options: LocalEnvironmentOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#env = {
      ...definedOnly(options.env),
      PATH: completePath(options.env['PATH']),
      HERMES_SESSION_ID: options.sessionId,
      HERMES_HOME: options.homePath,
    };
    this.files = createLocalFiles(() => this.#cwd, this.#home);
  }

  get cwd(): string {
    return this.#cwd;
  }

  run(command: string, options: RunOptions): Promise<RunResult> {
    const result = this.#queue.then(() => this.#runNow(command, options));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async runProgram(
    argv: readonly string[],
    options: Parameters<Environment['runProgram']>[1],
  ): ReturnType<Environment['runProgram']> {
    this.#refuseWhenClosed();
    const { env, mark } = this.#markedEnv();
    const cwd = resolve(this.#cwd, options.cwd ?? '');
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    return await runProgram(argv, { ...options, cwd, signal }, env, mark);
  }

  async findProgram(name: string): Promise<string | undefined> {
    if (name === 'rg') {
      const bundled = await import('@vscode/ripgrep').then(
        (module) => searchPath(module.rgPath, undefined),
        () => undefined,
      );
      if (bundled !== undefined) return bundled;
    }
    return await searchPath(name, this.#env['PATH']);
  }

  async spawn(command: string, options: { readonly cwd?: string; readonly pty: boolean }): Promise<BackgroundProcess> {
    this.#refuseWhenClosed();
    const cwd = resolve(this.#cwd, options.cwd ?? '');
    if (!(await isDirectory(cwd))) throw new UserError(`Cannot start in ${cwd}: there is no such directory.`);
    const { env, mark, fixed } = this.#markedEnv({ PYTHONUNBUFFERED: '1' });
    const { scratch } = this.#start();
    const program = this.#shellProgram();
    const initFiles = await this.#initFiles();
    const what = { program, command, cwd, env, fixed, initFiles, mark, scratch };
    const started = await spawnBackground(what, options.pty);
    this.#watch(started.pid);
    void started.exited.then(() => this.#forget(started.pid));
    if (this.#closed.signal.aborted) await started.kill();
    return started;
  }

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
  }

  warm(): void {
    if (this.#options.persistent === false || this.#closed.signal.aborted) return;
    // A failure shows again, and is told, when the first command runs.
    this.#persistentShell().catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    await this.#shell?.catch(() => undefined);
    await this.#queue;
    if (this.#ground === undefined) return;
    await killTree({ leaders: [...this.#leaders], mark: `${markName}=${this.#id}.` });
    for (const shell of this.#shells) shell.release();
    this.#ground.supervisor.dismiss();
    rmSync(this.#ground.scratch, { recursive: true, force: true });
  }

  async #runNow(command: string, options: RunOptions): Promise<RunResult> {
    this.#refuseWhenClosed();
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    if (signal.aborted) return refusal('', 130, 'interrupt');
    if (command.includes('\0')) return refusal('The command contains a NUL character and was not run.\n', 1);
    const cwd = options.cwd === undefined ? this.#cwd : this.files.resolve(options.cwd);
    if (!(await isDirectory(cwd))) return await this.#refuseDirectory(cwd, options.cwd !== undefined);

    const output = new BoundedOutput(this.#options.maxOutputChars ?? defaultMaxOutputChars);
    const decoder = new StringDecoder('utf8');
    const take = (text: string): void => {
      if (text === '') return;
      output.push(text);
      options.onOutput?.(text);
    };
    const job = { cwd, timeoutMs: options.timeoutMs, signal, onBytes: (bytes: Buffer) => take(decoder.write(bytes)) };
    const { outcome, shell } = await this.#runInShell(command, job, options.stdin);
    take(decoder.end());

    const tracked = this.#options.persistent !== false && options.stdin === undefined;
    if (tracked && options.cwd === undefined) this.#cwd = shell.cwd;
    const note = this.#noteAbout(outcome, tracked);
    return {
      output: output.text(),
      totalChars: output.totalChars,
      exitCode: outcome.status,
      ended: outcome.ended === 'startup' ? 'exit' : outcome.ended,
      ...(note === undefined ? {} : { note }),
    };
  }

  /** Runs in the living shell, or in one of its own when it needs input; tries once more without start-up files. */
  async #runInShell(
    command: string,
    job: { cwd: string; timeoutMs: number; signal: AbortSignal; onBytes(bytes: Buffer): void },
    stdin: string | undefined,
  ): Promise<{ outcome: ShellOutcome; shell: ShellSession }> {
    const own = stdin !== undefined || this.#options.persistent === false;
    const deadline = Date.now() + job.timeoutMs;
    for (;;) {
      const shell = own ? await this.#newShell(stdin) : await this.#persistentShell();
      await this.#giveProvided(shell, job);
      const timeoutMs = Math.max(1, deadline - Date.now());
      const move = shell.cwd === job.cwd ? undefined : job.cwd;
      const outcome = await shell.run(command, { ...job, timeoutMs, cwd: move });
      if (own) shell.retire();
      if (outcome.ended !== 'startup') return { outcome, shell };
      if (!this.#initFilesWork) {
        throw new UserError(`The shell ${this.#shellProgram().path} cannot be started (exit code ${outcome.status}).`);
      }
      this.#initFilesWork = false;
    }
  }

  /** A shell that was started before something was provided gets it now, in a command of its own that nobody sees. */
  async #giveProvided(shell: ShellSession, job: { timeoutMs: number; signal: AbortSignal }): Promise<void> {
    const provided = this.#provided;
    if (this.#given.get(shell) === provided) return;
    const text = exportLines(provided).join('\n');
    const { ended } = await shell.run(text, { ...job, cwd: undefined, onBytes: () => undefined });
    if (ended === 'exit') this.#given.set(shell, provided);
  }

  /** Each call waits for the one before it, so that a warm-up and a first command share one shell. */
  #persistentShell(): Promise<ShellSession> {
    const before = this.#shell?.catch(() => undefined) ?? Promise.resolve();
    this.#shell = before.then(async () => {
      if (this.#present?.alive !== true) this.#present = await this.#newShell(undefined);
      return this.#present;
    });
    return this.#shell;
  }

  async #newShell(stdin: string | undefined): Promise<ShellSession> {
    const { scratch } = this.#start();
    const { env, mark, fixed } = this.#markedEnv();
    const provided = this.#provided;
    const shell = await startShell({
      program: this.#shellProgram(),
      env,
      fixed,
      mark,
      cwd: this.#cwd,
      initFiles: await this.#initFiles(),
      state: this.#state,
      ...(stdin === undefined ? {} : { stdin }),
      scratch,
      onStarted: (pid) => this.#watch(pid),
      onEnded: (pid) => this.#forget(pid),
    });
    for (const old of this.#shells) if (old.finished) this.#shells.delete(old);
    this.#shells.add(shell);
    this.#given.set(shell, provided);
    return shell;
  }

  /**
   * The state of the last shell once there is one, which also spares the time of the start-up files. Before that, what
   * a login shell reads, then what the settings name.
   */
  async #initFiles(): Promise<string[]> {
    await this.#saveState();
    const { definitions, exports } = this.#state;
    const canRestore = this.#shellProgram().dialect === 'bash' ? definitions !== '' : exports !== '';
    if (canRestore) {
      const file = join(this.#start().scratch, 'state');
      // Replaced, not rewritten: another shell may be reading it.
      writeFileSync(`${file}.new`, `${definitions}\n${exports}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return [file];
    }
    if (!this.#initFilesWork) return [];
    const { shellInitFiles = [], autoSourceBashrc = true } = this.#options;
    const bash = this.#shellProgram().dialect === 'bash';
    const own = shellInitFiles.map((file) => this.files.resolve(file));
    const bashrc = bash && autoSourceBashrc && own.length === 0 ? [join(this.#home, '.bashrc')] : [];
    const profiles = bash ? ['.bash_profile', '.bash_login', '.profile'] : ['.profile'];
    const profile = profiles.map((name) => join(this.#home, name)).find((path) => existsSync(path));
    return ['/etc/profile', ...(profile === undefined ? [] : [profile]), ...bashrc, ...own];
  }

  /** Takes over what the present shell, alive or not, has to pass on. */
  async #saveState(): Promise<void> {
    if (this.#present !== undefined) this.#state = await this.#present.latestState();
  }

  #noteAbout(outcome: ShellOutcome, tracked: boolean): string | undefined {
    if (!this.#initFilesWork && !this.#startupTold) {
      this.#startupTold = true;
      return 'The shell start-up files ended or blocked the shell, so commands run without them.';
    }
    if (!tracked || outcome.ended === 'exit') return undefined;
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

  #markedEnv(more: Readonly<Record<string, string>> = {}): {
    env: Readonly<Record<string, string>>;
    mark: string;
    fixed: Readonly<Record<string, string>>;
  } {
    const value = `${this.#id}.${this.#nextMark++}.`;
    const fixed = { [markName]: value, ...more };
    return { env: { ...this.#env, ...this.#provided, ...fixed }, mark: `${markName}=${value}`, fixed };
  }

  #start(): { readonly scratch: string; readonly supervisor: Supervisor } {
    if (this.#ground === undefined) {
      const scratch = mkdtempSync(join(tmpdir(), 'hermes-local-'));
      this.#ground = { scratch, supervisor: new Supervisor(`${markName}=${this.#id}.`, scratch) };
    }
    return this.#ground;
  }

  #watch(pid: number): void {
    this.#leaders.add(pid);
    this.#start().supervisor.watch(pid);
  }

  /** While a group has members its number stays taken, and they stay ours. */
  #forget(pid: number): void {
    if (groupLives(pid)) return;
    this.#leaders.delete(pid);
    this.#ground?.supervisor.forget(pid);
  }

  #shellProgram(): ShellProgram {
    this.#program ??= findShell(this.#env);
    return this.#program;
  }

  get #home(): string {
    return this.#options.env['HOME'] ?? homedir();
  }

  #refuseWhenClosed(): void {
    if (this.#closed.signal.aborted) throw new UserError('The terminal environment of this session is closed.');
  }
}

/** A terminal where one can be made, else pipes. */
async function spawnBackground(options: BackgroundOptions, pty: boolean): Promise<BackgroundProcess> {
  if (!pty) return await spawnWithPipes(options);
  return await spawnInTerminal(options).catch(() => spawnWithPipes(options));
}

function refusal(output: string, exitCode: number, ended: RunResult['ended'] = 'exit'): RunResult {
  return { output, totalChars: output.length, exitCode, ended };
}

function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function definedOnly(env: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
