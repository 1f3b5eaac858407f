/** What a terminal command is. To add one: a file in `commands/` and a line in `catalogue.ts`. */
import type { Command } from 'commander';
import type { Variables } from '../config/variables.ts';
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ProcessSettings } from '../config/process-settings.ts';
import type { Io } from '../lib/io.ts';
import type { Log } from '../lib/log.ts';
import type { StrayErrors } from './plugins/stray-errors.ts';
import type { SecretReport } from './secrets/at-start.ts';

/** What every command is given. */
export interface CliContext {
  readonly io: Io;
  readonly home: Home;
  /** Flags that may stand anywhere. */
  readonly global: { readonly ignoreUserConfig: boolean; readonly verbose: boolean };
  /** The process's environment with `.env` laid over it; read once, and again by `/reload`. For what it switches and limits, see `settings`. */
  readonly env: Variables;
  /** What the program was started with, without any `.env`. */
  readonly shell: Variables;
  readonly settings: ProcessSettings;
  /** Reads `.env` again and brings `env` up to date; returns the names whose values changed. */
  readonly reloadVariables: () => readonly string[];
  /** Reads and merges config.yaml on first use; prints its warnings to stderr once. */
  readonly config: () => Promise<LoadedConfig>;
  /** The home's log. */
  readonly log: Log;
  /** All commands, for those that speak of the others. */
  readonly commands: readonly CommandEntry[];
  /** What is to be tidied up when the command has ended, whether well or not; absent where nothing waits for that. */
  readonly atEnd?: (close: () => Promise<void>) => void;
  /** What secret managers gave at the start; undefined where none was asked. */
  fetched?: SecretReport;
  /** What plug-ins throw where nobody catches it; undefined before the settings are read, or where none is enabled. */
  strayErrors?: StrayErrors;
  /** What the program exits with when the command returns; default 0. */
  exitCode: number;
}

/** A lazily loaded command. `build` returns a commander command whose actions throw `UserError` to fail. */
export interface CommandModule {
  build(context: CliContext): Command;
}

/** A line of the catalogue. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}
