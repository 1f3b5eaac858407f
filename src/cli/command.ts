/** What a terminal command is. To add one: one file in `commands/`… and one line in `catalogue.ts`. */
import type { Command } from 'commander';
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Io } from '../lib/io.ts';

/** What `main` knows before it hands over. */
export interface CliContext {
  readonly io: Io;
  readonly home: Home;
  /** Flags that stand before or after any command. */
  readonly global: { readonly ignoreUserConfig: boolean; readonly verbose: boolean };
  /** Environment with `.env` already laid over it; read once. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads and merges config.yaml; prints its warnings to stderr once. */
  config(): LoadedConfig;
}

/** A lazily loaded command. `build` returns a commander command whose actions throw `UserError` to fail. */
export interface CommandModule {
  build(context: CliContext): Command;
}
