/** Answers that every group of routes gives: JSON, and errors in the form that OpenAI's clients read. */
import type { JsonValue } from '../lib/json.ts';

export type ErrorType = 'invalid_request_error' | 'server_error' | 'rate_limit_error';

export interface HttpErrorOptions {
  /** For programs. */
  readonly code?: string;
  /** The field of the request that is meant. */
  readonly param?: string;
  /** Default: by the status. */
  readonly type?: ErrorType;
  readonly headers?: Readonly<Record<string, string>>;
  /** More for the error's object. */
  readonly more?: Readonly<Record<string, JsonValue>>;
  readonly cause?: unknown;
}

/** Ends a request with this status; the message is shown to whoever asked. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly options: HttpErrorOptions;

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.options = options;
  }

  answer(): Response {
    return errorAnswer(this.status, this.message, this.options);
  }
}

export function jsonAnswer(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}

export function errorAnswer(status: number, message: string, options: HttpErrorOptions = {}): Response {
  const { code = null, param = null, type = typeOf(status), more = {}, headers = {} } = options;
  return jsonAnswer({ error: { message, type, param, code, ...more } }, status, headers);
}

function typeOf(status: number): ErrorType {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
