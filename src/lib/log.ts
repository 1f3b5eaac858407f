/** What the program writes down about itself, for whoever looks for a fault later. */

/**
 * Must never throw, wait for the disk, or write a secret. `error` is what was caught: its message and its causes are
 * written behind the line.
 *
 * @example
 * try {
 *   await tidyUp();
 * } catch (error) {
 *   log.warning('old sessions were not pruned', error);
 * }
 */
export interface Log {
  debug(message: string, error?: unknown): void;
  info(message: string, error?: unknown): void;
  warning(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
  /** The same log under a name such as `agent`, `tools.terminal` or `credentials`; names are joined with dots. */
  named(name: string): Log;
  /** The same log for one session: its lines carry the id. */
  forSession(sessionId: string): Log;
}

const silent = (): void => undefined;

/** Writes nothing: for tests, and for the little that runs before there is a home. */
export const noLog: Log = {
  debug: silent,
  info: silent,
  warning: silent,
  error: silent,
  named: () => noLog,
  forSession: () => noLog,
};
