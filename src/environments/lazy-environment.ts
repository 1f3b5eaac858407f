/** An environment whose implementation is loaded with its first command, and let go when it has been idle. */
import { UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import type {
  BackgroundProcess,
  Environment,
  FileSystem,
  ProgramEnd,
  ProgramRun,
  RunOptions,
  RunResult,
} from './environment.ts';
import { resolvePath } from './remote/resolve-path.ts';

export interface LazyEnvironmentOptions {
  readonly kind: Environment['kind'];
  /** Where the first command starts; may begin with `~`. */
  readonly cwd: string;
  /** Called with the first command, and again after it failed or was let go; `cwd` is where the next command starts. */
  load(cwd: string): Promise<Environment>;
  /** Milliseconds without a command or a background process after which it is closed; absent: never. */
  readonly idleMs?: number;
  readonly log?: Log;
}

/** Closing what was never used loads nothing. */
export function createLazyEnvironment(options: LazyEnvironmentOptions): Environment {
  return new LazyEnvironment(options);
}

class LazyEnvironment implements Environment {
  readonly files: FileSystem;
  readonly #options: LazyEnvironmentOptions;
  #loading: Promise<Environment> | undefined;
  #loaded: Environment | undefined;
  #cwd: string;
  #closed = false;
  #provided: Readonly<Record<string, string>> = {};
  /** Calls and background processes. */
  #busy = 0;
  #idle: NodeJS.Timeout | undefined;
  #lettingGo: Promise<void> = Promise.resolve();
  #wasLetGo = false;

  constructor(options: LazyEnvironmentOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.files = {
      resolve: (path) => this.#loaded?.files.resolve(path) ?? resolvePath(path, this.cwd, undefined),
      realPath: (path) => this.#use(({ files }) => files.realPath(path)),
      stat: (path) => this.#use(({ files }) => files.stat(path)),
      read: (path, signal) => this.#use(({ files }) => files.read(path, signal)),
      write: (...args) => this.#use(({ files }) => files.write(...args)),
      list: (directory) => this.#use(({ files }) => files.list(directory)),
      remove: (...args) => this.#use(({ files }) => files.remove(...args)),
      rename: (...args) => this.#use(({ files }) => files.rename(...args)),
    };
  }

  get kind(): Environment['kind'] {
    return this.#options.kind;
  }

  get cwd(): string {
    return this.#loaded?.cwd ?? this.#cwd;
  }

  get shellIsAltered(): boolean {
    return this.#loaded?.shellIsAltered ?? false;
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    const result = await this.#use((environment) => environment.run(command, options));
    if (!this.#wasLetGo) return result;
    this.#wasLetGo = false;
    const lost = 'The environment had been idle and was closed: variables exported before are lost.';
    return { ...result, note: result.note === undefined ? lost : `${lost} ${result.note}` };
  }

  runProgram(
    argv: readonly string[],
    options: Parameters<Environment['runProgram']>[1],
  ): ReturnType<Environment['runProgram']> {
    return this.#use((environment) => environment.runProgram(argv, options));
  }

  runBeside(run: ProgramRun): Promise<ProgramEnd> {
    return this.#use((environment) => environment.runBeside(run));
  }

  findProgram(name: string): Promise<string | undefined> {
    return this.#use((environment) => environment.findProgram(name));
  }

  async spawn(command: string, options: Parameters<Environment['spawn']>[1]): Promise<BackgroundProcess> {
    const started = await this.#use((environment) => environment.spawn(command, options));
    this.#begin();
    void started.exited.then(() => this.#end());
    return started;
  }

  confinementProblem(): Promise<string | undefined> {
    return this.#use((environment) => environment.confinementProblem());
  }

  keepsGitSettings(folder: string): Promise<boolean> {
    return this.#use((environment) => environment.keepsGitSettings(folder));
  }

  provide(variables: Readonly<Record<string, string>>): void {
    this.#provided = { ...this.#provided, ...variables };
    this.#loaded?.provide(variables);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#lettingGo;
    // Whoever asked for it has been told why it could not be loaded.
    const loaded = await this.#loading?.catch(() => undefined);
    await loaded?.close();
  }

  async #use<T>(work: (environment: Environment) => Promise<T>): Promise<T> {
    this.#begin();
    try {
      return await work(await this.#load());
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    this.#busy++;
    clearTimeout(this.#idle);
  }

  #end(): void {
    this.#busy--;
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#busy > 0 || this.#closed) return;
    this.#idle = setTimeout(() => this.#letGo(), idleMs).unref();
  }

  /** Only the directory is carried on. */
  #letGo(): void {
    const environment = this.#loaded;
    if (environment === undefined || this.#closed) return;
    this.#cwd = environment.cwd;
    this.#loaded = undefined;
    this.#loading = undefined;
    this.#wasLetGo = true;
    this.#lettingGo = environment.close().catch((error: unknown) => {
      (this.#options.log ?? noLog).warning('an idle environment could not be closed', error);
    });
  }

  #load(): Promise<Environment> {
    if (this.#closed && this.#loading === undefined) {
      return Promise.reject(new UserError('The terminal environment of this session is closed.'));
    }
    this.#loading ??= this.#lettingGo
      .then(() => this.#options.load(this.#cwd))
      .then(
        (environment) => {
          environment.provide(this.#provided);
          this.#loaded = environment;
          return environment;
        },
        (error: unknown) => {
          this.#loading = undefined;
          throw error;
        },
      );
    return this.#loading;
  }
}
