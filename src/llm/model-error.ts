/** The one error that a model call may end in. */

export type ModelErrorKind =
  | 'aborted'
  | 'auth'
  | 'billing'
  | 'rate_limit'
  | 'overloaded'
  | 'context_overflow'
  | 'payload_too_large'
  | 'bad_request'
  /** A content filter refused what was asked, whoever asks. */
  | 'filtered'
  | 'not_found'
  | 'network'
  | 'timeout'
  | 'malformed'
  /** The model wrote on past every bound. What had come was yielded; asking again would end likewise. */
  | 'answer_too_long'
  /** Who was asked does more than talk, and may have begun: asking again could have it done twice. */
  | 'asked_once'
  | 'stream_unsupported';

export interface ModelErrorDetails {
  readonly status?: number | undefined;
  /** How long the provider asked us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The host that was asked, for messages. */
  readonly host?: string | undefined;
  /** Id of the provider that was asked. */
  readonly provider?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A failed model call. The message is one line for people: no HTML, at most 300 characters, no key in it. What to do
 * about it follows from `kind` alone.
 *
 * @example
 * try {
 *   for await (const event of protocol.stream(request, signal)) show(event);
 * } catch (error) {
 *   if (error instanceof ModelError && error.kind === 'rate_limit') await sleep(error.retryAfterMs ?? 1000, signal);
 *   else throw error;
 * }
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly host: string | undefined;
  readonly provider: string | undefined;

  constructor(kind: ModelErrorKind, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.host = details.host;
    this.provider = details.provider;
  }
}
