/** Settings of a server as they are on disk now: a secret that was changed counts within seconds. */
import { join } from 'node:path';
import { loadEnvironment, readEnvFile } from '../config/dotenv.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import type { Variables } from '../config/variables.ts';
import type { Log } from '../lib/log.ts';
import type { Program } from '../runtime/program.ts';
import { fileState } from './file-state.ts';

/** How long what was read counts without looking again, in milliseconds. */
const freshMs = 1000;

/** Looks at the files when it is asked, at most once a second, and reads them when they have changed. */
export class SettingsOnDisk<Settings> {
  readonly #program: Pick<Program, 'options'>;
  readonly #log: Log;
  readonly #files: readonly string[];
  /** What the shell says, without what the home's `.env` added at the start. */
  readonly #shell: Readonly<Record<string, string | undefined>>;
  readonly #what: string;
  readonly #readFrom: (config: LoadedConfig, env: Variables) => Settings;
  #settings: Settings;
  #seen: string;
  #lookedAt = performance.now();
  #reading: Promise<void> | undefined;

  /** `what`: whose settings they are, for the log. `readFrom` throws for what cannot be; then those from before hold. */
  constructor(
    { options, log }: Pick<Program, 'options' | 'log'>,
    what: string,
    readFrom: (config: LoadedConfig, env: Variables) => Settings,
  ) {
    const { home, config, env } = options;
    this.#program = { options };
    this.#log = log.named('http');
    this.#what = what;
    this.#readFrom = readFrom;
    const dotenv = join(home.path, '.env');
    this.#files = [dotenv, config.path];
    const { values } = readEnvFile(dotenv);
    this.#shell = Object.fromEntries(Object.entries(env).filter(([name, value]) => values.get(name) !== value));
    this.#settings = readFrom(config, env);
    this.#seen = this.#look();
  }

  /** As they were when they were last looked at. */
  get known(): Settings {
    return this.#settings;
  }

  async current(): Promise<Settings> {
    await this.#refresh();
    return this.#settings;
  }

  async #refresh(): Promise<void> {
    if (performance.now() - this.#lookedAt < freshMs) return await this.#reading;
    this.#lookedAt = performance.now();
    const seen = this.#look();
    if (seen === this.#seen) return await this.#reading;
    this.#seen = seen;
    this.#reading = this.#read();
    await this.#reading;
  }

  /** Sizes and times. */
  #look(): string {
    return this.#files.map(fileState).join(' ');
  }

  /** A file that cannot be read changes nothing. */
  async #read(): Promise<void> {
    try {
      const { home } = this.#program.options;
      const { env } = loadEnvironment(home, this.#shell);
      const config = await loadConfig({ home, env });
      if (config.user.state === 'broken') throw new Error(config.warnings.join('; '));
      this.#settings = this.#readFrom(config, env);
      this.#log.info(`the settings of ${this.#what} were read again`);
    } catch (error) {
      this.#log.warning(`the settings of ${this.#what} could not be read again; the ones from before hold`, error);
    }
  }
}
