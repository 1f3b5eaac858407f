/** The program that jobs run in: with the settings as they are on disk now, also in a process that runs for weeks. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { cronSettings } from '../../config/cron.ts';
import { loadEnvironment, readEnvFile } from '../../config/dotenv.ts';
import { loadConfig } from '../../config/load.ts';
import { errorCode } from '../../lib/errors.ts';
import { openStoreWithin } from '../../runtime/open-store.ts';
import { openProgram } from '../../runtime/open-program.ts';
import type { Program } from '../../runtime/program.ts';

/** As long as the files stay as they were, jobs share the program of the process; then they get one of their own. */
export class LiveProgram {
  readonly #base: Program;
  readonly #files: readonly string[];
  /** What the shell says, without what the home's `.env` added at the start. */
  readonly #shell: Readonly<Record<string, string | undefined>>;
  #current: Shared;
  #opening: Promise<void> = Promise.resolve();

  constructor(base: Program) {
    const { home, config, env } = base.options;
    this.#base = base;
    const dotenv = join(home.path, '.env');
    this.#files = [dotenv, config.path];
    const { values } = readEnvFile(dotenv);
    this.#shell = Object.fromEntries(Object.entries(env).filter(([name, value]) => values.get(name) !== value));
    this.#current = { program: base, seen: this.#look(), users: 0, old: false };
  }

  /** Runs `work` with the program of now, which stays open until it is done. */
  async use<T>(work: (program: Program) => Promise<T>): Promise<T> {
    this.#opening = this.#opening.then(() => this.#refresh());
    await this.#opening;
    const shared = this.#current;
    shared.users += 1;
    try {
      return await work(shared.program);
    } finally {
      shared.users -= 1;
      await this.#closeUnused(shared);
    }
  }

  async close(): Promise<void> {
    await this.#opening;
    this.#current.old = true;
    await this.#closeUnused(this.#current);
  }

  /** Settings that cannot be read change nothing. Never rejects. */
  async #refresh(): Promise<void> {
    const seen = this.#look();
    if (seen === this.#current.seen) return;
    const log = this.#base.log.named('cron');
    try {
      const { home } = this.#base.options;
      const { env } = loadEnvironment(home, this.#shell);
      const config = await loadConfig({ home, env });
      if (config.user.state === 'broken') throw new Error(config.warnings.join('; '));
      const opened = await openStoreWithin(home, cronSettings(config, env).storeMs);
      const program = await openProgram({ ...this.#base.options, env, config, opened, log: this.#base.log });
      // Without a store nothing is saved: the next run looks for it again.
      const isWhole = opened.store !== undefined;
      for (const line of opened.warnings) log.warning(line);
      const before = this.#current;
      before.old = true;
      this.#current = { program, seen: isWhole ? seen : '', users: 0, old: false };
      log.info('the settings of scheduled jobs were read again');
      await this.#closeUnused(before);
    } catch (error) {
      this.#current.seen = seen;
      log.warning('the settings of scheduled jobs could not be read again; the ones from before hold', error);
    }
  }

  async #closeUnused(shared: Shared): Promise<void> {
    if (!shared.old || shared.users > 0 || shared.program === this.#base) return;
    await shared.program.close();
  }

  #look(): string {
    return this.#files.map(stateOf).join(' ');
  }
}

interface Shared {
  readonly program: Program;
  seen: string;
  users: number;
  /** Another one has taken its place. */
  old: boolean;
}

function stateOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
  } catch (error) {
    return errorCode(error) ?? '?';
  }
}
