/** Services that lend browsers, in their own wire formats; the browser that all of them lend is one of this machine. */
import { type Fetch, fetchOver } from '../../src/lib/fetch-over.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { type JsonAnswer, type JsonRequest, type JsonServer, type Routes, startJsonServer } from './json-server.ts';

export interface CloudBrowsers extends AsyncDisposable {
  readonly server: JsonServer;
  /** Leads the addresses of the real services here. */
  readonly fetch: Fetch;
  /** Ids of browsers that nobody has given back. */
  readonly lent: ReadonlySet<string>;
}

/** The only key that any of them takes. */
export const cloudKey = 'key-of-the-test';
export const cloudProject = 'project-of-the-test';

const hosts = ['api.browserbase.com', 'api.browser-use.com', 'api.firecrawl.dev'];

/** `endpoint`: of the browser that is lent. `plan`: what Browserbase does without payment. */
export async function startCloudBrowsers(
  endpoint: string,
  plan: readonly ('keepAlive' | 'proxies')[] = ['keepAlive', 'proxies'],
): Promise<CloudBrowsers> {
  const lent = new Set<string>();
  const server = await startJsonServer(routesFor(endpoint, plan, lent));
  const real = fetchOver({});
  return {
    server,
    lent,
    fetch(url, request) {
      const { host, pathname } = new URL(url);
      if (!hosts.includes(host)) throw new Error(`${host} is none of the services`);
      return real(`${server.url}/${host}${pathname}`, request);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function routesFor(endpoint: string, plan: readonly string[], lent: Set<string>): Routes {
  const lend = (id: string, more: object): JsonAnswer => {
    lent.add(id);
    return { status: 201, body: { id, ...more } };
  };
  const takeBack = (id: string, status: number): JsonAnswer => {
    if (!lent.delete(id)) return { status: 404, body: { message: 'no such session' } };
    return { status, body: {} };
  };
  const withKey = (header: string, value: string, answer: (body: Body) => JsonAnswer) => {
    return ({ headers, body }: JsonRequest): JsonAnswer =>
      headers[header] === value ? answer(bodyOf(body)) : { status: 401, body: { error: 'Unauthorized' } };
  };
  return {
    'POST /api.browserbase.com/v1/sessions': withKey('x-bb-api-key', cloudKey, (body) => {
      if (body['projectId'] !== cloudProject) return { status: 400, body: { message: 'projectId is required' } };
      const missing = ['keepAlive', 'proxies'].some((wish) => body[wish] === true && !plan.includes(wish));
      if (missing) return { status: 402, body: { message: 'Payment required' } };
      return lend('bb-1', { connectUrl: endpoint, status: 'RUNNING' });
    }),
    'POST /api.browserbase.com/v1/sessions/bb-1': withKey('x-bb-api-key', cloudKey, (body) =>
      body['status'] === 'REQUEST_RELEASE' && body['projectId'] === cloudProject
        ? takeBack('bb-1', 200)
        : { status: 400 },
    ),
    'POST /api.browser-use.com/api/v3/browsers': withKey('x-browser-use-api-key', cloudKey, () =>
      lend('bu-1', { cdpUrl: endpoint, status: 'active' }),
    ),
    'PATCH /api.browser-use.com/api/v3/browsers/bu-1': withKey('x-browser-use-api-key', cloudKey, (body) =>
      body['action'] === 'stop' ? takeBack('bu-1', 200) : { status: 422 },
    ),
    'POST /api.firecrawl.dev/v2/browser': withKey('authorization', `Bearer ${cloudKey}`, (body) =>
      typeof body['ttl'] === 'number' ? lend('fc-1', { success: true, cdpUrl: endpoint }) : { status: 400 },
    ),
    'DELETE /api.firecrawl.dev/v2/browser/fc-1': withKey('authorization', `Bearer ${cloudKey}`, () =>
      takeBack('fc-1', 204),
    ),
  };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf(text: string): Body {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}
