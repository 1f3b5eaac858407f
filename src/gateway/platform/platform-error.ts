/** Why a platform cannot be connected, or is not any more. */

/**
 * `code` is a stable word (`telegram_polling_conflict`, `matrix-token_lock`) that stands in the status file. One that is
 * not `retryable` needs the operator; the gateway then leaves the platform alone until it is started again.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
  }
}
