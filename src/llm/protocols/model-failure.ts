/** Turns everything that can go wrong with a model request into the one `ModelError` it ends in. */
import { errorCode, errorMessage } from '../../lib/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { ModelError, type ModelErrorKind } from '../model-error.ts';
import { detailsOf, type ErrorDetails, statusIn } from './error-body.ts';

/** What a message about a failed request names, and what it must not name. */
export interface RequestContext {
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  /** Values that never appear in a message: the key and secret headers. */
  readonly secrets: readonly string[];
  /** To recognize a generic refusal of a request that was too long. */
  readonly messageCount: number;
  /** Estimate, in tokens. */
  readonly requestTokens: number;
  readonly contextLength?: number;
  /** Tokens that the answer was limited to. */
  readonly maxTokens?: number;
}

/** Names in lower case. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

const maxMessageChars = 300;

/** A failure in one line: `<model> via <provider> (<host>): <what>`. */
export function failure(
  context: RequestContext,
  kind: ModelErrorKind,
  what: string,
  details: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
): ModelError {
  const where = context.host === '' ? context.provider : `${context.provider} (${context.host})`;
  const line = toLine(maskKeys(`${context.model} via ${where}: ${what}`, context.secrets));
  return new ModelError(kind, line, { host: context.host, provider: context.provider, ...details });
}

/** An HTTP status that is not success. */
export function statusFailure(
  context: RequestContext,
  status: number,
  headers: HeaderFields,
  body: string,
): ModelError {
  const detail = detailsOf(body);
  const kind = kindOfStatus(status, detail.searchable, context, detail.message);
  const retryAfterMs = parseRetryAfter(headers, Date.now());
  const again = retryAfterMs === undefined || retryAfterMs < 60_000 ? '' : `, ask again in ${inWords(retryAfterMs)}`;
  return failure(context, kind, describe(`HTTP ${status}, ${meaningOf(kind, detail)}${again}`, detail.message), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** At least a minute. */
function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** An `error` that came in place of an answer, or in the middle of one. */
export function reportedFailure(context: RequestContext, error: JsonValue): ModelError {
  const detail = detailsOf(JSON.stringify({ error }));
  const status = statusIn(error);
  const kind =
    status === undefined
      ? kindOfText(detail.searchable)
      : kindOfStatus(status, detail.searchable, context, detail.message);
  const what = describe(`the provider reported an error, ${meaningOf(kind, detail)}`, detail.message);
  return failure(context, kind, what, status === undefined ? {} : { status });
}

/** Whatever sending a request or reading a body threw; its `cause` becomes the system error with its code. */
export function connectionFailure(context: RequestContext, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const cause = rootCause(thrown);
  const code = errorCode(cause) ?? '';
  const readable = connectionTexts.get(code) ?? errorMessage(cause);
  return failure(
    context,
    connectionKind(code),
    code === '' || readable.includes(code) ? readable : `${readable} (${code})`,
    { cause },
  );
}

function connectionKind(code: string): ModelErrorKind {
  if (/^ERR_(?:INVALID_URL|INVALID_PROTOCOL|PROXY_INVALID_CONFIG)$/.test(code)) return 'bad_request';
  // The message of such an error names the header only: its value may be the key.
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') return 'auth';
  return /TIMEDOUT|TIMEOUT/.test(code) ? 'timeout' : 'network';
}

/**
 * Milliseconds to wait, from `retry-after` (seconds or an HTTP date) or OpenAI's finer `retry-after-ms`.
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function parseRetryAfter(headers: HeaderFields, nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? 'none');
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers['retry-after'];
  const value = typeof given === 'string' ? given.trim() : '';
  if (value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

const meaning: Readonly<Record<ModelErrorKind, string>> = {
  aborted: 'interrupted',
  auth: 'the key was not accepted',
  billing: 'out of credit',
  rate_limit: 'rate limited',
  overloaded: 'the provider cannot answer at the moment',
  context_overflow: 'the conversation is too long for the model',
  payload_too_large: 'the request is too large',
  bad_request: 'the request was refused',
  filtered: 'a content filter refused it',
  not_found: 'there is no such model or address',
  network: 'the connection failed',
  timeout: 'timed out',
  malformed: 'the answer cannot be read',
  stream_unsupported: 'streaming is not supported',
  answer_too_long: 'the answer does not end',
  asked_once: 'it was asked once',
};

function meaningOf(kind: ModelErrorKind, { filteredFor }: ErrorDetails): string {
  return kind === 'filtered' && filteredFor !== '' ? `${meaning.filtered} (${filteredFor})` : meaning[kind];
}

const contextPhrases =
  /context.?length|context size|context limit|maximum context|token limit|too many tokens|reduce the length|exceeds the limit|context window|prompt is too long|prompt exceeds max length/;
const billingPhrases =
  /insufficient.?(?:quota|credit|balance|funds)|out of credit|credit balance|not enough credits|exceeded your current quota|payment required|billing/;
const ratePhrases = /rate.?limit|too many requests|usage.?limit|quota/;
const authPhrases = /invalid.?api.?key|incorrect api key|authentication|unauthorized|permission.?(?:denied|error)/;
/**
 * A LiteLLM proxy without a database answers an unknown key with status 400 and these words, an older one with the second.
 * https://docs.litellm.ai/docs/proxy/virtual_keys
 */
const proxyKeyRefusal = /^(?:authentication error, )?(?:no connected db\.|invalid proxy server token passed)/i;
/** Azure, Anthropic, OpenAI and OpenRouter, DeepSeek and Alibaba. */
const filterPhrases =
  /content.?filter|content management policy|content.?policy|responsibleaipolicy|input was flagged|content exists risk|data_?inspection_?failed/;
const noStreamPhrases =
  /stream\w*\b.{0,40}not (?:supported|available|allowed)|does not support stream|unsupported.{0,30}\bstream\b/;

function kindOfStatus(status: number, text: string, context: RequestContext, message: string): ModelErrorKind {
  if (status === 401) return 'auth';
  if (status === 402) return 'billing';
  if (status === 413) return 'payload_too_large';
  if (status === 429) return billingPhrases.test(text) ? 'billing' : 'rate_limit';
  if (status === 408) return 'timeout';
  if (status === 400 && proxyKeyRefusal.test(message)) return 'auth';
  if (status < 500 && filterPhrases.test(text)) return 'filtered';
  if (contextPhrases.test(text)) return 'context_overflow';
  if (/payload too large|request entity too large/.test(text)) return 'payload_too_large';
  if (status >= 500 || status === 425) return 'overloaded';
  if (noStreamPhrases.test(text) && !text.includes('stream_options')) return 'stream_unsupported';
  if (billingPhrases.test(text)) return 'billing';
  if (ratePhrases.test(text)) return 'rate_limit';
  if (status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 400 && message.length < 30 && isHuge(context)) return 'context_overflow';
  return 'bad_request';
}

function kindOfText(text: string): ModelErrorKind {
  if (filterPhrases.test(text)) return 'filtered';
  if (contextPhrases.test(text)) return 'context_overflow';
  if (noStreamPhrases.test(text)) return 'stream_unsupported';
  if (billingPhrases.test(text)) return 'billing';
  if (ratePhrases.test(text)) return 'rate_limit';
  if (authPhrases.test(text)) return 'auth';
  if (/invalid_request|bad_request|model_not_found/.test(text)) return 'bad_request';
  return 'overloaded';
}

/** Some servers refuse a conversation that is too long with a bare "Bad Request". */
function isHuge(context: RequestContext): boolean {
  const window = context.contextLength ?? 128_000;
  return context.messageCount > 80 || context.requestTokens > window * 0.4;
}

const connectionTexts: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no socket at this path; is the server running, and is the base URL right?'],
  ['ECONNREFUSED', 'nothing answers at this address; is the server running, and is the base URL right?'],
  ['ENOTFOUND', 'the host name does not resolve; check the base URL and the network'],
  ['EAI_AGAIN', 'the host name could not be looked up; check the network'],
  ['ECONNRESET', 'the server closed the connection'],
  ['EPIPE', 'the connection was closed while sending'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['ERR_INVALID_URL', 'the base URL is not a URL'],
  ['ERR_INVALID_PROTOCOL', 'the base URL must begin with https:// or http://'],
  ['ERR_INVALID_CHAR', 'the API key or a header holds characters that cannot be sent; set it again'],
  ['ERR_INVALID_HTTP_TOKEN', 'the name of a header holds characters that cannot be sent; set it again'],
  ['CERT_HAS_EXPIRED', 'the certificate of the server has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate of the server is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate of the server is self-signed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate of the server cannot be verified'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the server is for another host'],
]);

/** Some errors wrap what happened; the innermost one with a code says it. */
function rootCause(thrown: unknown): unknown {
  let found = thrown;
  let current = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if (errorCode(current) !== undefined || current.cause === undefined) found = current;
    current = current.cause;
  }
  return found;
}

function describe(what: string, detail: string): string {
  return detail === '' ? what : `${what}: ${detail}`;
}

/** One line without control and direction characters, cut to the limit. */
export function toLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length <= maxMessageChars ? line : `${line.slice(0, maxMessageChars - 1).toWellFormed()}…`;
}

/** True when the body names `field` as a parameter that the endpoint does not know. */
export function rejectsField(status: number, body: string, field: string): boolean {
  return namesField(status, body, field, unknownPhrases);
}

/** The same for a part that an answer can be had without: whatever is wrong with it, it is left out. */
export function rejectsPart(status: number, body: string, part: string): boolean {
  return namesField(status, body, part, wrongPhrases);
}

const unknownPhrases = /unsupported|n['o]t support|unrecognized|unknown|unexpected|not permitted|extra|not allowed/;
const wrongPhrases =
  /unsupported|n['o]t support|unrecognized|unknown|unexpected|not permitted|extra|not allowed|invalid|cannot|can only|only accepts|must be|conflict|together|mutually|not available|deprecated/;

function namesField(status: number, body: string, field: string, phrases: RegExp): boolean {
  if (status !== 400 && status !== 422) return false;
  const text = detailsOf(body).searchable;
  return new RegExp(`(?<![\\w])${field}(?![\\w])`).test(text) && phrases.test(text) && !contextPhrases.test(text);
}
