/**
 * Gives Google's refusals the kind that they have, where the HTTP status alone misleads.
 * https://cloud.google.com/apis/design/errors#error_model
 */
import { type JsonObject, parseJson } from '../../../lib/json.ts';
import { ModelError, type ModelErrorKind } from '../../model-error.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';

const maxRetryMs = 3_600_000;

/**
 * `error` with a better kind: a wrong key and a conversation that is too long both come as 400, and a limit per minute
 * speaks of "quota" and "billing" as if money had run out. Anything that is no `ModelError` comes back as it is.
 */
export function refineRefusal(error: unknown, body: string): unknown {
  if (!(error instanceof ModelError) || body === '') return error;
  const retryAfterMs = error.retryAfterMs ?? retryDelayMs(body);
  const kind = kindOf(error, body, retryAfterMs !== undefined);
  if (kind === error.kind && retryAfterMs === error.retryAfterMs) return error;
  const { message, status, host, provider } = error;
  return new ModelError(kind, message, { status, retryAfterMs, host, provider, cause: error });
}

function kindOf(error: ModelError, body: string, mayRetry: boolean): ModelErrorKind {
  if (error.status === 400 && /API_KEY_INVALID|API key (?:not valid|expired)/i.test(body)) return 'auth';
  if (error.status === 400 && /input token count.{0,80}exceeds the maximum/is.test(body)) return 'context_overflow';
  if (error.status === 429 && mayRetry && !/PerDay/.test(body)) return 'rate_limit';
  return error.kind;
}

/** `RetryInfo` among the details: `{"retryDelay": "13.5s"}`. */
function retryDelayMs(body: string): number | undefined {
  for (const entry of listOf(errorIn(body)?.['details'])) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(stringOf(objectOf(entry)?.['retryDelay']))?.[1];
    if (seconds !== undefined) return Math.min(maxRetryMs, Math.ceil(Number(seconds) * 1000));
  }
  return undefined;
}

/** Streamed requests are refused with a list that holds the one error. */
function errorIn(body: string): JsonObject | undefined {
  const json = parseJson(body);
  const first = Array.isArray(json) ? json[0] : json;
  return objectOf(objectOf(first)?.['error']);
}
