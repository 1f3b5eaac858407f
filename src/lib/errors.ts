/** Errors that a person can act on: one line of what happened, and one of what to do next. */

/**
 * A failure caused by input, configuration or the outside world, told to the user without a stack trace.
 * `exitCode` 2 is for wrong usage (bad flag, missing argument), 78 for a gateway that must not be started again before its
 * settings are mended, 1 for everything else.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: 1 | 2 | 78;
  /** The next step, printed after the message. */
  readonly hint: string | undefined;

  constructor(message: string, options: { exitCode?: 1 | 2 | 78; hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
    this.hint = options.hint;
  }
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The POSIX or Node error code (`ENOENT`, `SQLITE_BUSY` …) of anything that was thrown. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
