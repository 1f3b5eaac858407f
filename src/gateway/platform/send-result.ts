/** What became of something that was sent to a platform. */

/**
 * - `too_long`: it has to be cut smaller
 * - `bad_format`: the platform refuses the markup; plain text may pass
 * - `forbidden`: the chat does not take messages from us any more
 * - `not_found`: the chat, or the message that is quoted or edited, is not there
 * - `rate_limited`: later; `retryAfterMs` says when
 * - `transient`: it did not arrive, and may later
 * - `unsupported`: this platform or chat has no such thing
 * - `unknown`: anything else
 */
export const sendErrorKinds = [
  'too_long',
  'bad_format',
  'forbidden',
  'not_found',
  'rate_limited',
  'transient',
  'unsupported',
  'unknown',
] as const;
export type SendErrorKind = (typeof sendErrorKinds)[number];

export interface Sent {
  readonly ok: true;
  /** Of the last part, for edits and reactions; null where the platform gives none. */
  readonly messageId: string | null;
}

export interface NotSent {
  readonly ok: false;
  readonly kind: SendErrorKind;
  /** One line for people, without secrets and addresses that hold them. */
  readonly error: string;
  readonly retryAfterMs?: number;
  /** The platform may have taken it all the same (a time-out after the request was written): it is never sent again as if new. */
  readonly mayHaveArrived?: true;
}

export type SendResult = Sent | NotSent;
