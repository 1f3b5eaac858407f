/** A Camofox server in its own wire format. Its pages are made up; it connects to none of their addresses. */
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { type JsonAnswer, type JsonRequest, type JsonServer, startJsonServer } from './json-server.ts';

export interface CamofoxPageOf {
  readonly title?: string;
  readonly tree?: string;
  /** Where its server leads. */
  readonly leadsTo?: string;
  /** Where its things lead when they are clicked, by their names. */
  readonly links?: Readonly<Record<string, string>>;
  /** What scripts in it give. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface FakeCamofox extends AsyncDisposable {
  readonly server: JsonServer;
  readonly url: string;
  /** By user; those opened last at the end. */
  readonly users: ReadonlyMap<string, FakeTab[]>;
  /** Somebody else opens a tab. */
  open(userId: string, listItemId: string, url: string): FakeTab;
  /** `POST click {"userId":…}` of everything that was asked of a tab. */
  asked(): readonly string[];
}

export interface FakeTab {
  readonly tabId: string;
  readonly listItemId: string;
  url: string;
  readonly before: string[];
}

export interface FakeCamofoxOptions {
  readonly pages?: Readonly<Record<string, CamofoxPageOf>>;
  /** Without it nothing but `/health` is answered. */
  readonly key?: string;
  readonly vncPort?: number;
  /** It is one that runs no scripts. */
  readonly withoutScripts?: boolean;
  /** Characters of a snapshot in one answer. */
  readonly windowChars?: number;
}

/** The first bytes of a PNG. */
export const fakePicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export async function startFakeCamofox(options: FakeCamofoxOptions = {}): Promise<FakeCamofox> {
  const { pages = {}, key, vncPort, withoutScripts = false, windowChars = 80_000 } = options;
  const users = new Map<string, FakeTab[]>();
  let count = 0;
  const pageOf = ({ url }: FakeTab): CamofoxPageOf => pages[url] ?? {};
  const go = (tab: FakeTab, url: string): void => {
    tab.before.push(tab.url);
    tab.url = pages[url]?.leadsTo ?? url;
  };
  const open = (userId: string, listItemId: string, url: string): FakeTab => {
    const tab = { tabId: `tab-${++count}`, listItemId, url: 'about:blank', before: [] };
    users.set(userId, [...(users.get(userId) ?? []), tab]);
    go(tab, url);
    return tab;
  };
  const notFound: JsonAnswer = { status: 404, body: { error: 'Tab not found' } };

  const verbs: Readonly<Record<string, (tab: FakeTab, body: Body, query: URLSearchParams) => JsonAnswer>> = {
    'POST navigate': (tab, body) => {
      go(tab, textOf(body, 'url'));
      return { body: { ok: true, tabId: tab.tabId, url: tab.url, refsAvailable: true } };
    },
    'POST click': (tab, { ref }) => {
      const to = pageOf(tab).links?.[String(ref)];
      if (to === undefined && !pageOf(tab).tree?.includes(`[${String(ref)}]`))
        return { status: 422, body: { error: `Unknown ref: ${String(ref)}`, code: 'stale_refs' } };
      if (to !== undefined) go(tab, to);
      return { body: { ok: true, url: tab.url } };
    },
    'POST type': () => ({ body: { ok: true } }),
    'POST press': () => ({ body: { ok: true } }),
    'POST scroll': () => ({ body: { ok: true } }),
    'POST back': (tab) => {
      tab.url = tab.before.pop() ?? tab.url;
      return { body: { ok: true, url: tab.url } };
    },
    ...(withoutScripts
      ? {}
      : {
          'POST evaluate': (tab: FakeTab, { expression }: Body): JsonAnswer => {
            const found = Object.entries(pageOf(tab).values ?? {}).find(([part]) => String(expression).includes(part));
            return { body: { ok: true, result: found?.[1] ?? null } };
          },
        }),
    'GET screenshot': () => ({ headers: { 'content-type': 'image/png' }, body: fakePicture }),
    'GET snapshot': (tab, _, query) => ({
      body: windowOf(pageOf(tab), tab, Number(query.get('offset') ?? 0), windowChars),
    }),
  };

  const respond = (request: JsonRequest): JsonAnswer => {
    const { pathname, searchParams } = new URL(request.path, 'http://x');
    if (pathname === '/health')
      return { body: { ok: true, engine: 'camoufox', ...(vncPort === undefined ? {} : { vncPort }) } };
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return { status: 403, body: { error: 'Forbidden' } };
    const body = bodyOf(request.body);
    const userId = textOf(body, 'userId') || (searchParams.get('userId') ?? '');
    const [, room, id, verb] = pathname.split('/').map(decodeURIComponent);
    if (room === 'sessions' && request.method === 'DELETE') {
      users.delete(id ?? '');
      return { body: { ok: true } };
    }
    if (room !== 'tabs' || userId === '') return { status: 400, body: { error: 'userId required' } };
    const tabs = users.get(userId) ?? [];
    if (id === undefined && request.method === 'GET')
      return { body: { running: true, tabs: tabs.map((tab) => ({ ...tab, title: pageOf(tab).title ?? '' })) } };
    if (id === undefined) {
      const made = open(userId, textOf(body, 'listItemId'), textOf(body, 'url'));
      return { body: { tabId: made.tabId, url: made.url } };
    }
    const tab = tabs.find(({ tabId }) => tabId === id);
    if (tab === undefined) return notFound;
    if (verb === undefined && request.method === 'DELETE') {
      users.set(
        userId,
        tabs.filter((other) => other !== tab),
      );
      return { body: { ok: true } };
    }
    return verbs[`${request.method} ${verb}`]?.(tab, body, searchParams) ?? { status: 404, body: 'Cannot POST' };
  };

  const server = await startJsonServer(new Proxy({}, { get: () => respond }));
  return {
    server,
    url: server.url,
    users,
    open,
    asked: () =>
      server.requests.flatMap(({ method, path, body }) => {
        const verb = /^\/tabs\/[^/?]+\/(\w+)/.exec(path)?.[1];
        return verb === undefined ? [] : [`${method} ${verb} ${body}`.trimEnd()];
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf(text: string): Body {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}

function textOf(body: Body, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** A large tree comes in windows, each with the last 5,000 characters of the page behind it. */
function windowOf({ tree = '' }: CamofoxPageOf, { url }: FakeTab, offset: number, chars: number): object {
  const refsCount = [...tree.matchAll(/\[e\d+\]/g)].length;
  if (tree.length <= chars) return { url, snapshot: tree, refsCount, truncated: false, totalChars: tree.length };
  const tail = 5000;
  const budget = chars - tail - 200;
  const from = Math.min(offset, tree.length - tail);
  const end = from + budget;
  const hasMore = end < tree.length - tail;
  const snapshot = `${tree.slice(from, end)}${hasMore ? `\n[... truncated at char ${end} ...]\n` : '\n'}${tree.slice(-tail)}`;
  return {
    url,
    snapshot,
    refsCount,
    truncated: true,
    totalChars: tree.length,
    hasMore,
    nextOffset: hasMore ? end : null,
  };
}
