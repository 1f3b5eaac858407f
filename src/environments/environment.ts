/** Where commands run and files live: this machine, a container, another host. */

/** How one command is run. */
export interface RunOptions {
  /** Directory for this command only; the tracked one stays as it was. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly stdin?: string;
  /** Keeps the command from harm by the operating system; absent: it runs with all rights of the person. */
  readonly confinement?: Confinement;
  /** Output as it arrives, for display. */
  onOutput?(chunk: string): void;
}

/**
 * What a confined command may do besides reading what is not hidden and writing the workspace, temporary and cache
 * folders: whom it may talk to.
 */
export interface Confinement {
  /** `open`: everybody; `none`: programs of the same confinement only; a gate: whom it lets through. */
  readonly network: 'open' | 'none' | HostGate;
}

/** Must answer at once: a connection waits for it. */
export interface HostGate {
  /** `host` as the program named it, in small letters: a name or an address. */
  allows(host: string, port: number): boolean;
}

/** Something that confinement kept a command from, as far as it was seen. */
export interface Withheld {
  readonly kind: 'write' | 'read' | 'network';
  /** A path, or `host:port`. */
  readonly what: string;
}

export interface RunResult {
  /**
   * stdout and stderr as they came. Bounded: of a longer output only head and tail are kept, joined by a notice;
   * `totalChars` counts all of it.
   */
  readonly output: string;
  readonly totalChars: number;
  /** 124 after a timeout, 130 after an interrupt. */
  readonly exitCode: number;
  readonly ended: 'exit' | 'timeout' | 'interrupt';
  /** Something the model should know about the run itself, such as a restarted shell. */
  readonly note?: string;
  /** For confined commands: what they were kept from, each once, at most 20. Absent when there was nothing. */
  readonly withheld?: readonly Withheld[];
}

/** One program that runs beside the shell, with variables of its own. */
export interface ProgramRun {
  /**
   * Called with an empty folder that the program sees as well, for its files, and on this machine for sockets that it may
   * use; it is gone afterwards.
   */
  prepare(folder: string, options: { readonly sockets: boolean }): Promise<PreparedProgram>;
  /** Which variables of commands it gets; those of `provide` it gets in any case. */
  keeps(variable: string): boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** As for commands. */
  readonly confinement?: Confinement;
  onOutput(bytes: Uint8Array): void;
  onErrors(bytes: Uint8Array): void;
}

export interface PreparedProgram {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Beside those that are kept. Where they name the folder, they name it as the program sees it. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Where there are no sockets: answers a request, one line, that the program writes as a file `req-<id>` into the folder's
   * `calls`, with a file `res-<id>`. Must not reject.
   */
  readonly answer?: (line: string) => Promise<string>;
}

export interface ProgramEnd {
  /** 124 after a timeout, 130 after an interrupt. */
  readonly exitCode: number;
  readonly ended: RunResult['ended'];
  /** As of a command, as far as its network and this output tell. */
  withheld(output: string): readonly Withheld[];
}

/** A command that keeps running. Output is a bounded rolling buffer kept by the caller. */
export interface BackgroundProcess {
  readonly pid: number;
  /** Set where the number is none of this machine. */
  readonly elsewhere?: true;
  onOutput(listener: (chunk: string) => void): void;
  /** Resolves once, with the exit code (128 + n after signal n). */
  readonly exited: Promise<number>;
  /** False when stdin is closed or not available. */
  write(data: string): boolean;
  /** End of file for the program. False when it takes no input, or none any more. */
  endInput(): boolean;
  /** For confined ones: what it was kept from by now, as far as this output and its network tell; each once, at most 20. */
  withheld?(output: string): readonly Withheld[];
  /** Ends the whole process tree: SIGTERM, then SIGKILL after `terminal.daemon_term_grace_seconds`. Resolves when it is gone, or was asked to go. */
  kill(): Promise<void>;
}

/** What is known of a file without reading it. Sizes in bytes, times in milliseconds since 1970. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly modifiedMs: number;
  /** When the content, the name, the owner or the rights changed: a time that programs cannot set. */
  readonly changedMs: number;
}

/**
 * File access inside an environment. Paths are absolute there. Errors carry Node's codes (`ENOENT` …).
 *
 * @example
 * const path = await files.realPath(files.resolve('~/notes.md'));
 * await files.write(path, new TextEncoder().encode('Buy tea.\n'));
 */
export interface FileSystem {
  /** Absolute path of what a model or user wrote: `~`, `~user` and relative paths against `cwd`. */
  resolve(path: string): string;
  /** The path with every symbolic link followed, also when its last parts do not exist yet. */
  realPath(path: string): Promise<string>;
  /** `undefined` when there is nothing. */
  stat(path: string): Promise<FileStat | undefined>;
  read(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Atomic: all or nothing; keeps the mode of an existing file and follows a symbolic link to its target. Makes parents;
   * returns those made. With `asChecked` the path was looked at as a real one, and what has become a link since is an
   * error (`ELOOP`).
   */
  write(
    path: string,
    data: Uint8Array,
    options?: AsChecked,
  ): Promise<{ readonly createdDirectories: readonly string[] }>;
  list(directory: string): Promise<readonly string[]>;
  remove(path: string, options?: AsChecked): Promise<void>;
  rename(from: string, to: string, options?: AsChecked): Promise<void>;
}

export interface AsChecked {
  /** The folders of the paths were looked at as real ones: where a link has come in their way since, it is an error (`ELOOP`). */
  readonly asChecked?: boolean;
}

/**
 * A place in which commands run and files live. Holds what a shell holds between commands: the working directory,
 * exported variables, functions and aliases.
 *
 * @example
 * const { output, exitCode } = await environment.run('npm test', { timeoutMs: 60_000, signal });
 * const text = await environment.files.read(environment.files.resolve('~/notes.md'), signal);
 */
export interface Environment {
  readonly kind: 'local' | 'docker' | 'ssh' | 'singularity' | 'modal' | 'daytona';
  /** Where the next command starts. */
  readonly cwd: string;
  readonly files: FileSystem;
  /**
   * True while a confined command has left something in its shell that changes what words mean: a search path, a function,
   * an alias, an option. It stays there; commands that are to see it must be confined too.
   */
  readonly shellIsAltered: boolean;
  /** Runs shell text to its end. Rejects only when the environment itself fails. Calls run one after another. */
  run(command: string, options: RunOptions): Promise<RunResult>;
  /** Runs one program without a shell and without touching the tracked state. `output` is stdout, bounded by `maxOutput` characters. */
  runProgram(
    argv: readonly string[],
    options: {
      readonly cwd?: string;
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly maxOutput: number;
    },
  ): Promise<{
    readonly output: string;
    readonly stderr: string;
    readonly exitCode: number;
    readonly truncated: boolean;
  }>;
  /**
   * Runs one program to its end, reading nothing, and ends everything that it has started. Rejects when it cannot be
   * started. Runs beside the commands of `run`.
   */
  runBeside(run: ProgramRun): Promise<ProgramEnd>;
  /** Full path of a program, or `undefined`; knows programs that ship with us (`rg`). */
  findProgram(name: string): Promise<string | undefined>;
  /** Starts shell text in the background. `pty` falls back to pipes where no terminal can be made. */
  spawn(
    command: string,
    options: { readonly cwd?: string; readonly pty: boolean; readonly confinement?: Confinement },
  ): Promise<BackgroundProcess>;
  /**
   * Why commands cannot be confined here, in words for a person and with the way to change it; `undefined` when they
   * can. Tried once, with the first call. A confined command is never run unconfined: it fails where this is not `undefined`.
   */
  confinementProblem(): Promise<string | undefined>;
  /**
   * False where git, run outside in this folder, might run what confined commands have left: in a repository that they
   * made, or whose settings and hooks they could write.
   */
  keepsGitSettings(folder: string): Promise<boolean>;
  /** Gives every command that starts from now on more variables, for as long as the environment is open. */
  provide(variables: Readonly<Record<string, string>>): void;
  /** Ends everything that was started here, except what the environment is configured to keep. */
  close(): Promise<void>;
}
