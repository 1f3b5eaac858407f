/** JSON over HTTP from servers that are not trusted: a deadline, a bound on the size, and no redirects. */
import { readBody } from '../../lib/bounded.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { type JsonValue, parseJson } from '../../lib/json.ts';

export interface JsonRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; absent = GET. */
  readonly body?: JsonValue;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** A longer answer counts as none. Default 16 MB. */
  readonly maxBytes?: number;
  /** Default: that of Node. */
  readonly fetch?: Fetch | undefined;
}

/** What the address answers, or undefined: no answer in time, a status that is not 2xx, too long, or not JSON. */
export async function getJson(url: string, request: JsonRequest): Promise<JsonValue | undefined> {
  const text = await getText(url, request);
  return text === undefined ? undefined : parseJson(text);
}

/** The same for the text, JSON or not. */
export async function getText(url: string, request: JsonRequest): Promise<string | undefined> {
  const { headers, body, signal, timeoutMs, maxBytes = 16 * 1024 * 1024 } = request;
  const ask = request.fetch ?? fetch;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await ask(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A key must not follow a redirect to another host.
      redirect: 'error',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    return await readBody(response, maxBytes);
  } catch {
    // Everything asked for so is known from elsewhere as well, so why there is no answer changes nothing.
    return undefined;
  }
}
