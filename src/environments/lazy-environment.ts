/** An environment whose implementation is loaded with its first command. */
import { UserError } from '../lib/errors.ts';
import type { Environment, FileSystem, RunOptions, RunResult } from './environment.ts';
import { resolvePath } from './remote/resolve-path.ts';

export interface LazyEnvironmentOptions {
  readonly kind: Environment['kind'];
  /** Where the first command starts; may begin with `~`. */
  readonly cwd: string;
  /** Called once; again when it failed. */
  load(): Promise<Environment>;
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
  #closed = false;
  /** What was provided before there was somebody to give it to. */
  #provided: Readonly<Record<string, string>> = {};

  constructor(options: LazyEnvironmentOptions) {
    this.#options = options;
    this.files = {
      resolve: (path) => this.#loaded?.files.resolve(path) ?? resolvePath(path, this.cwd, undefined),
      realPath: async (path) => await (await this.#load()).files.realPath(path),
      stat: async (path) => await (await this.#load()).files.stat(path),
      read: async (path, signal) => await (await this.#load()).files.read(path, signal),
      write: async (path, data, options) => await (await this.#load()).files.write(path, data, options),
      list: async (directory) => await (await this.#load()).files.list(directory),
      remove: async (path, options) => await (await this.#load()).files.remove(path, options),
      rename: async (...args) => await (await this.#load()).files.rename(...args),
    };
  }

  get kind(): Environment['kind'] {
    return this.#options.kind;
  }

  get cwd(): string {
    return this.#loaded?.cwd ?? this.#options.cwd;
  }

  get shellIsAltered(): boolean {
    return this.#loaded?.shellIsAltered ?? false;
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    return await (await this.#load()).run(command, options);
  }

  async runProgram(
    argv: readonly string[],
    options: Parameters<Environment['runProgram']>[1],
  ): ReturnType<Environment['runProgram']> {
    return await (await this.#load()).runProgram(argv, options);
  }

  async findProgram(name: string): Promise<string | undefined> {
    return await (await this.#load()).findProgram(name);
  }

  async spawn(command: string, options: Parameters<Environment['spawn']>[1]): ReturnType<Environment['spawn']> {
    return await (await this.#load()).spawn(command, options);
  }

  async confinementProblem(): Promise<string | undefined> {
    return await (await this.#load()).confinementProblem();
  }

  async keepsGitSettings(folder: string): Promise<boolean> {
    return await (await this.#load()).keepsGitSettings(folder);
  }

  provide(variables: Readonly<Record<string, string>>): void {
    if (this.#loaded === undefined) this.#provided = { ...this.#provided, ...variables };
    else this.#loaded.provide(variables);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Whoever asked for it has been told why it could not be loaded.
    const loaded = await this.#loading?.catch(() => undefined);
    await loaded?.close();
  }

  #load(): Promise<Environment> {
    if (this.#closed && this.#loading === undefined) {
      return Promise.reject(new UserError('The terminal environment of this session is closed.'));
    }
    this.#loading ??= this.#options.load().then(
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
