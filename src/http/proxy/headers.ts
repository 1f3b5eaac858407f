/** Which headers travel on between a client, the proxy and the provider. */
import type { IncomingMessage } from 'node:http';

/** Those of one connection only (RFC 9110, 7.6.1), and those that are made anew. */
const ofOneConnection = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer trailers transfer-encoding upgrade host content-length expect'.split(
    ' ',
  ),
);
/**
 * The client's own credentials, what browsers and other proxies add about who asks, and which packings it takes: a refusal
 * must be readable here.
 */
const ofTheClient = new Set(
  'authorization x-api-key api-key cookie origin referer forwarded via accept-encoding'.split(' '),
);
/** What is said to browsers about the provider's own pages. */
const ofTheProvider = new Set('set-cookie strict-transport-security alt-svc content-security-policy'.split(' '));

export function requestHeaders(headers: Headers): Record<string, string> {
  const named = namedByConnection(headers);
  return Object.fromEntries(
    [...headers].filter(
      ([name]) =>
        !ofOneConnection.has(name) && !named.has(name) && !ofTheClient.has(name) && !name.startsWith('x-forwarded-'),
    ),
  );
}

/** `withLength`: the body is handed on as it came, so its length is still right. */
export function responseHeaders(headers: Headers, withLength: boolean): Headers {
  const named = namedByConnection(headers);
  const kept = new Headers();
  for (const [name, value] of headers) {
    const isDropped = ofOneConnection.has(name) && !(withLength && name === 'content-length');
    if (isDropped || named.has(name) || ofTheProvider.has(name) || name.startsWith('access-control-')) continue;
    kept.append(name, value);
  }
  return kept;
}

/** The headers of an answer, those that came several times too. */
export function headersOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = headers.get('connection') ?? '';
  return new Set(names.split(',').map((name) => name.trim().toLowerCase()));
}
