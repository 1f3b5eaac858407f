/** A login service that refused, answered nonsense or could not be reached, in words without a secret. */
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';

/** What is known of a failed request. */
export interface Failure {
  /** HTTP status; absent when no answer came. */
  readonly status?: number;
  /** The service's own code (`slow_down`, `invalid_grant` …). */
  readonly code?: string;
}

export class ServiceError extends UserError {
  override readonly name = 'ServiceError';
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(message: string, failure: Failure = {}, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options);
    this.status = failure.status;
    this.code = failure.code;
  }

  /** The same request may succeed a little later. */
  get passing(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }
}

/** No answer came, or none that could be read to its end. */
export function unreachable(service: string, host: string, error: unknown): ServiceError {
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  const cause = error instanceof Error ? error.cause : undefined;
  const code = errorCode(error) ?? errorCode(cause);
  const why = timedOut ? 'it did not answer in time' : (code ?? errorMessage(error));
  return new ServiceError(
    `${service}: ${host} could not be reached: ${why}`,
    {},
    { hint: 'Check the network and any proxy, then try again.' },
  );
}

/** The service answered, and what it said was no. `secrets` are those that were sent. */
export function refused(
  service: string,
  status: number,
  body: JsonValue | undefined,
  secrets: readonly string[],
): ServiceError {
  const { code, description } = errorIn(body);
  const said = [code, description].filter((part) => part !== undefined).map((part) => maskKeys(oneLine(part), secrets));
  const what = said.length === 0 ? '' : `: ${said.join(': ')}`;
  return new ServiceError(`${service} refused (HTTP ${status})${what}`, {
    status,
    ...(code === undefined ? {} : { code }),
  });
}

/** The service answered with something that cannot be an answer. `problem` must not quote it. */
export function garbled(service: string, host: string, status: number, problem: string): ServiceError {
  return new ServiceError(
    `${service}: ${host} answered with ${problem} (HTTP ${status})`,
    { status },
    {
      hint: 'Something on the way may have answered in its place (a proxy, a sign-in page of the network). Try again later.',
    },
  );
}

interface Said {
  readonly code?: string;
  readonly description?: string;
}

/** OAuth's own form, the nested one of OpenAI, and MiniMax's `base_resp`. */
function errorIn(body: JsonValue | undefined): Said {
  if (!isJsonObject(body)) return {};
  const { error, error_description: description, base_resp: base } = body;
  if (isJsonObject(error)) return said(error['code'] ?? error['type'], error['message']);
  if (error !== undefined) return said(error, description ?? body['message']);
  if (isJsonObject(base)) return said(undefined, base['status_msg']);
  return said(body['code'], body['message']);
}

function said(code: JsonValue | undefined, description: JsonValue | undefined): Said {
  return {
    ...(typeof code === 'string' && code !== '' ? { code } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
  };
}

/** Text of a server, fit to be shown: one line, no control characters, not long. */
export function oneLine(text: string, maxLength = 200): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}
