/** What there is once in a process: home, configuration, store, models, log. */
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Log } from '../lib/log.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { ModelAccess } from './model-access.ts';
import type { Session } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

export interface ProgramOptions {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: LoadedConfig;
  /** Directory that sessions start in unless they say otherwise. */
  readonly cwd: string;
  /** Of the program; the skills that come with it are brought to the home when it changes. Absent = they are not. */
  readonly version?: string;
  /** The program stays: what is known of models is brought up to date beside the work. */
  readonly longLived?: boolean;
  /** Opened before, to look for a session; the program closes it. Default: the store of the home. */
  readonly opened?: OpenedStore;
  /** Default: the log of the home. */
  readonly log?: Log;
}

export interface OpenedStore {
  /** Undefined when the database cannot be opened or written. */
  readonly store: SessionStore | undefined;
  /** The user is told once that nothing is kept. */
  readonly warnings: readonly string[];
}

/**
 * Opened once by `openProgram`; every conversation of the process comes from it.
 *
 * @example
 * const program = await openProgram({ home, env, config, cwd: process.cwd() });
 * const session = await program.openSession({ surface: 'cli', human: headless });
 */
export interface Program {
  readonly options: ProgramOptions;
  /** Undefined when the database cannot be opened; conversations then run unsaved, and a warning says so. */
  readonly store: SessionStore | undefined;
  readonly models: ModelAccess;
  readonly log: Log;
  /** Lines that the user should be told once, at the start. */
  readonly warnings: readonly string[];
  /** Throws `UserError` for a model that cannot be resolved. */
  openSession(spec: SessionSpec): Promise<Session>;
  /** Ends the sessions that are still open, then everything else. */
  close(): Promise<void>;
}
