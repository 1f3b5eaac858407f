/** Sends the requests of logins: a deadline and a bound for each, no redirects, and a trace without values. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from '../../lib/bounded.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { LoginContext } from './login.ts';
import { garbled, refused, ServiceError, unreachable } from './service-error.ts';

export interface Wire {
  /** The provider as people know it, for messages. */
  readonly service: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Throws the signal's reason when it aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** For the OAuth library: the answer with its status, its body read and bounded, and no header but its type. */
  readonly fetch: (url: string, init: WireRequest) => Promise<Response>;
  /** A request that no standard describes. Throws `ServiceError` for what is not a 2xx with a JSON object. */
  postJson(
    url: string,
    body: JsonObject,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<JsonObject>;
}

export interface WireRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const usualSeconds = 15;
const maxBytes = 256 * 1024;

/** `deadlineVariable`: the variable that says how many seconds one request may take. */
export function createWire(service: string, context: LoginContext, deadlineVariable?: string): Wire {
  const now = context.now ?? Date.now;
  const seconds = deadlineVariable === undefined ? undefined : context.variables.seconds(deadlineVariable);
  const deadlineMs = (seconds ?? usualSeconds) * 1000;
  const trace = context.variables.trace ? context.trace : undefined;

  const ask = async (url: string, { method, headers, body, signal }: WireRequest): Promise<Response> => {
    const { host, pathname } = new URL(url);
    const sent = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined;
    const secrets = secretsIn(sent, headers);
    const began = now();
    const note = (outcome: string) =>
      trace?.(maskKeys(`${service}: ${method} ${host}${pathname} -> ${outcome} after ${now() - began} ms`, secrets));
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      const response = await (context.fetch ?? fetch)(url, {
        method,
        headers: { ...headers, 'user-agent': 'hermes-agent' },
        ...(sent === undefined ? {} : { body: sent }),
        // A code or token must not travel to a host that nobody chose.
        redirect: 'manual',
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      const { status } = response;
      const text = await readBody(response, maxBytes);
      if (text === undefined) throw garbled(service, host, status, 'more data than expected');
      if (status >= 300 && status < 400) throw garbled(service, host, status, 'a redirect, which is not followed');
      note(outcomeOf(status, parseJson(text)));
      const type = response.headers.get('content-type') ?? '';
      return new Response(bodyless.has(status) ? null : text, { status, headers: { 'content-type': type } });
    } catch (error) {
      signal?.throwIfAborted();
      const failure = error instanceof ServiceError ? error : unreachable(service, host, error);
      note(failure.message);
      throw failure;
    }
  };

  return {
    service,
    now,
    async wait(milliseconds, signal) {
      try {
        await (context.wait ?? timer)(milliseconds, signal);
      } finally {
        signal.throwIfAborted();
      }
    },
    fetch: ask,
    async postJson(url, body, { headers = {}, signal }) {
      const sent = JSON.stringify(body);
      const response = await ask(url, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: sent,
        signal,
      });
      return await readObject(response, { service, url, secrets: secretsIn(sent, headers) });
    },
  };
}

/**
 * The JSON object of a successful answer. Throws `ServiceError` for every other: a status that is not 2xx, a body that
 * names an error although the status is 200 (GitHub does that), a page, malformed JSON.
 */
export async function readObject(
  response: Response,
  asked: { readonly service: string; readonly url: string; readonly secrets: readonly string[] },
): Promise<JsonObject> {
  const { service, url, secrets } = asked;
  const body = parseJson(await response.text());
  const failed = !response.ok || (isJsonObject(body) && body['error'] !== undefined && body['error'] !== null);
  if (failed && body !== undefined) throw refused(service, response.ok ? 400 : response.status, body, secrets);
  if (isJsonObject(body)) return body;
  const html = /html/i.test(response.headers.get('content-type') ?? '');
  const problem = html ? 'a web page' : body === undefined ? 'something that is not JSON' : 'JSON of an unknown form';
  throw garbled(service, new URL(url).host, response.status, problem);
}

/** Every value that went out and must not come back in a message. */
function secretsIn(body: string | undefined, headers: Readonly<Record<string, string>> = {}): string[] {
  const json = body === undefined ? undefined : parseJson(body);
  const fields = isJsonObject(json) ? Object.entries(json) : [...new URLSearchParams(body)];
  const sent = [...fields, ...Object.entries(headers)].flatMap(([name, value]) =>
    typeof value === 'string' && secretName.test(name) ? [value, value.replace(/^Bearer /i, '')] : [],
  );
  return sent;
}

const secretName = /token|secret|verifier|assertion|authorization$|auth_id|^(?:device_|user_|authorization_)?code$/i;

const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

/** The status, and the code of an error where it is one of a kind that cannot be a secret. */
function outcomeOf(status: number, body: JsonValue | undefined): string {
  const error = isJsonObject(body) ? body['error'] : undefined;
  const code = isJsonObject(error) ? error['code'] : error;
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? `HTTP ${status} ${code}` : `HTTP ${status}`;
}

async function timer(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
