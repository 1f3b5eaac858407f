/** What there is once for a home in a process: configuration, store, models, log. */
import type { Hooks } from '../agent/hooks.ts';
import type { Log } from '../lib/log.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { BrowserSlots } from '../tools/browser/browser-slots.ts';
import type { FileWrites } from '../tools/file/file-writes.ts';
import type { CommandScanner } from '../tools/terminal/tirith/scanner.ts';
import type { DelegationPool } from './delegation/delegation-pool.ts';
import type { Findings } from './findings.ts';
import type { ModelAccess } from './model-access.ts';
import type { ProgramOptions } from './program-options.ts';
import type { ProgramPlugins } from './program-plugins.ts';
import type { ProgramServers } from './program-servers.ts';
import type { Session } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

export type { ProgramOptions } from './program-options.ts';

/**
 * Opened once by `openProgram`; every conversation of the home comes from it.
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
  readonly hooks: Hooks;
  readonly plugins: ProgramPlugins;
  readonly fileWrites: FileWrites;
  /** How many browsers its sessions have. */
  readonly browsers: BrowserSlots;
  readonly findings: Findings;
  readonly scanner: CommandScanner;
  readonly delegations: DelegationPool;
  /** MCP servers. */
  readonly servers: ProgramServers;
  /** Lines that the user should be told once, at the start. */
  readonly warnings: readonly string[];
  /** Throws `UserError` for a model that cannot be resolved. */
  openSession(spec: SessionSpec): Promise<Session>;
  /** Ends the sessions that are still open, then everything else. */
  close(): Promise<void>;
}
