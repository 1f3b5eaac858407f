/** What can go wrong with a homeserver, in the words of the gateway. */
import { NotAnswered, oneLine, unreached } from '../../platform/http-answers.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { NotSent, SendErrorKind } from '../../platform/send-result.ts';

/** The homeserver, or a proxy before it, has answered that it did not do it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `M_…`; undefined when it is no answer of Matrix. */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The login ended, the device and its keys are still there. */
  readonly softLogout: boolean;
  /** It wants proof of who asks, within this session. */
  readonly session: string | undefined;

  constructor(
    status: number,
    code: string | undefined,
    description: string,
    more: {
      readonly retryAfterMs?: number | undefined;
      readonly softLogout?: boolean | undefined;
      readonly session?: string;
    } = {},
  ) {
    super(description);
    this.status = status;
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
    this.softLogout = more.softLogout ?? false;
    this.session = more.session;
  }
}

/** Why something is not sent that never reached the homeserver. */
export class NotSendable extends Error {
  override readonly name = 'NotSendable';
  readonly kind: SendErrorKind;

  constructor(kind: SendErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** https://spec.matrix.org/latest/client-server-api/#standard-error-response */
const kinds: Readonly<Record<string, SendErrorKind>> = {
  M_LIMIT_EXCEEDED: 'rate_limited',
  M_FORBIDDEN: 'forbidden',
  M_GUEST_ACCESS_FORBIDDEN: 'forbidden',
  M_USER_DEACTIVATED: 'forbidden',
  M_NOT_FOUND: 'not_found',
  M_BAD_JSON: 'bad_format',
  M_TOO_LARGE: 'too_long',
};

export function notSent(error: unknown): NotSent {
  if (error instanceof NotSendable) return { ok: false, kind: error.kind, error: error.message };
  if (error instanceof NotAnswered) return unreached('The homeserver', error);
  if (!(error instanceof ApiError)) return { ok: false, kind: 'unknown', error: 'It could not be sent to Matrix.' };
  return {
    ok: false,
    kind: kindOf(error),
    error: `The homeserver refused it: ${oneLine(error.message)}.`,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    // Only a gateway in between answers so, and it does not know what became of the request.
    ...(error.status === 504 ? { mayHaveArrived: true } : {}),
  };
}

function kindOf({ status, code = '' }: ApiError): SendErrorKind {
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'transient';
  return kinds[code] ?? (status === 413 ? 'too_long' : 'unknown');
}

/** Why it cannot be connected. */
export function connectError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  if (isWrongToken(error)) return wrongToken(error);
  const why = error instanceof Error ? oneLine(error.message) : 'for an unknown reason';
  return new PlatformError('matrix_connect_error', `The homeserver of Matrix cannot be reached: ${why}.`, {
    retryable: true,
    cause: error,
  });
}

/** The answer of a homeserver that stays the same however often it is asked. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === undefined) return false;
  return error.status >= 400 && error.status < 500 && ![401, 408, 429].includes(error.status);
}

/** A proxy that wants a login of its own is no homeserver. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code !== undefined;
}

function isWrongToken(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return isLoggedOut(error) || (error.status === 403 && error.code === 'M_FORBIDDEN');
}

export function wrongToken(cause: unknown): PlatformError {
  const message =
    'The homeserver does not know this login. Put a new access token into MATRIX_ACCESS_TOKEN, or check MATRIX_USER_ID and MATRIX_PASSWORD.';
  return new PlatformError('matrix_wrong_token', message, { retryable: false, cause });
}

/** A login with a password can be made anew. */
export function loggedOut(cause: unknown): PlatformError {
  const message = 'The homeserver has ended the login of the bot; it logs in again.';
  return new PlatformError('matrix_logged_out', message, { retryable: true, cause });
}
