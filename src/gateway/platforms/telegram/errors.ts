/** What can go wrong with the Bot API, in the words of the gateway. */
import { NotAnswered, oneLine, unreached } from '../../platform/http-answers.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { NotSent, SendErrorKind } from '../../platform/send-result.ts';

/** Telegram, or a proxy before it, has answered that it did not do it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The group became a supergroup with this id. */
  readonly movedTo: string | undefined;
  /** Something on the way to Telegram has answered, not the Bot API. */
  readonly inBetween: boolean;

  constructor(
    status: number,
    description: string,
    more: { readonly retryAfterMs?: number; readonly movedTo?: string; readonly inBetween?: boolean } = {},
  ) {
    super(description);
    this.status = status;
    this.retryAfterMs = more.retryAfterMs;
    this.movedTo = more.movedTo;
    this.inBetween = more.inBetween ?? false;
  }
}

/** Descriptions are all that tells most errors apart; there is no list of them, these have been seen. */
const kinds: readonly (readonly [RegExp, SendErrorKind])[] = [
  [/too.long|TOO_LONG/i, 'too_long'],
  [/can't parse/i, 'bad_format'],
  [
    /not enough rights|no rights|WRITE_FORBIDDEN|have no write access|CHAT_RESTRICTED|kicked|blocked|deactivated/i,
    'forbidden',
  ],
  [
    /chat not found|PEER_ID_INVALID|message .*not found|thread not found|TOPIC_ID_INVALID|MESSAGE_ID_INVALID/i,
    'not_found',
  ],
  [
    /PHOTO_|IMAGE_|VOICE_MESSAGES_FORBIDDEN|wrong file|wrong type|failed to get HTTP|file is too big|can't be edited|can't be deleted|method is available only|not a forum/i,
    'unsupported',
  ],
];

export function notSent(error: unknown): NotSent {
  if (error instanceof NotAnswered) return unreached('Telegram', error);
  if (!(error instanceof ApiError)) return { ok: false, kind: 'unknown', error: 'It could not be sent to Telegram.' };
  const kind = kindOf(error);
  return {
    ok: false,
    kind,
    error: `Telegram refused it: ${oneLine(error.message)}.`,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    // Only a gateway in between answers so, and it does not know what became of the request.
    ...(error.status === 504 ? { mayHaveArrived: true } : {}),
  };
}

function kindOf({ status, message }: ApiError): SendErrorKind {
  if (status === 429) return 'rate_limited';
  if (status === 403) return 'forbidden';
  if (status === 413) return 'unsupported';
  if (status >= 500) return 'transient';
  return kinds.find(([words]) => words.test(message))?.[1] ?? 'unknown';
}

/** An edit that changes nothing is done already. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof ApiError && /message is not modified/i.test(error.message);
}

/** The topic that it was meant for is not there any more. */
export function isThreadGone(error: ApiError): boolean {
  return /thread not found|TOPIC_(?:ID_INVALID|DELETED)/i.test(error.message);
}

/** Why it cannot be connected. */
export function connectError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof ApiError && isWrongToken(error)) return wrongToken(error);
  const why = error instanceof Error ? oneLine(error.message) : 'for an unknown reason';
  return new PlatformError('telegram_connect_error', `Telegram cannot be reached: ${why}.`, {
    retryable: true,
    cause: error,
  });
}

/** 404: the address of a bot that there is not. A proxy that answers so knows nothing of bots, and may know better later. */
export function isWrongToken(error: unknown): boolean {
  return error instanceof ApiError && !error.inBetween && (error.status === 401 || error.status === 404);
}

export function wrongToken(cause: unknown): PlatformError {
  const message = 'Telegram does not know this bot. Put the token from @BotFather into TELEGRAM_BOT_TOKEN.';
  return new PlatformError('telegram_wrong_token', message, { retryable: false, cause });
}
