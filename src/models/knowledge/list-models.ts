/** Asks a provider which models it serves, in the way of each. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { type Log, noLog } from '../../lib/log.ts';
import type { Authorizer } from '../../llm/authorizer.ts';
import { isLocalHost } from '../../llm/endpoint.ts';
import type { ProviderProfile, ProviderWire } from '../../llm/provider.ts';
import { getJson, type JsonRequest } from './get-json.ts';
import { entriesOf } from './listed-window.ts';

export interface ListRequest {
  readonly profile: ProviderProfile;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Default: nothing is needed. */
  readonly authorizer?: Authorizer | undefined;
  readonly log?: Log | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Keeps the list for an hour. One file holds one provider's list. */
  readonly cachePath?: string;
  readonly clock?: { now(): number };
  readonly fetch?: Fetch;
}

const timeoutMs = 8000;
const maxIds = 5000;
const maxIdLength = 200;
const maxPages = 20;
const heldMs = 60 * 60_000;

const keptList = z.object({
  url: z.string(),
  fetched_at: z.number(),
  models: z.array(z.string().min(1).max(maxIdLength)).min(1).max(maxIds),
});

/** One page: its ids, and the address of the next. */
interface Page {
  readonly ids: readonly string[];
  readonly next?: string;
}

/**
 * Ids in the provider's order, at most 5,000; undefined when the list cannot be had: there is none, the server does not
 * answer within 8 seconds in all, or answers something else. An old kept list is better than none. Never throws.
 */
export async function listProviderModels(asked: ListRequest): Promise<readonly string[] | undefined> {
  const { cachePath, clock = Date, log = noLog } = asked;
  const url = listAddress(asked);
  if (url === undefined) return undefined;
  const kept = cachePath === undefined ? undefined : await readKept(cachePath, url, log);
  if (kept !== undefined && Math.abs(clock.now() - kept.fetched_at) < heldMs) return kept.models;
  const ids = await fetchIds(url, asked);
  if (ids === undefined) return kept?.models;
  if (cachePath !== undefined && ids.length > 0) {
    await keep(cachePath, { url, fetched_at: clock.now(), models: [...ids] }, log);
  }
  return ids;
}

/** The key goes to the address that is configured, never to the provider's own when another was put in its place. */
function listAddress({ profile, baseUrl }: ListRequest): string | undefined {
  if (profile.modelsUrl === null || profile.inProcess !== undefined) return undefined;
  const base = URL.parse(baseUrl);
  if (base === null || !/^http(?:s|\+unix)?:$/.test(base.protocol)) return undefined;
  if (profile.modelsUrl !== undefined && base.host === URL.parse(profile.baseUrl)?.host) return profile.modelsUrl;
  if (profile.apiMode === 'bedrock_converse') return undefined;
  const plain = baseUrl.replace(/\/+$/, '');
  return profile.apiMode === 'anthropic_messages' && !plain.endsWith('/v1') ? `${plain}/v1/models` : `${plain}/models`;
}

async function fetchIds(url: string, asked: ListRequest): Promise<readonly string[] | undefined> {
  const { profile, baseUrl, fetch } = asked;
  // One deadline for all pages together.
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = asked.signal === undefined ? deadline : AbortSignal.any([asked.signal, deadline]);
  const headers = await headersOf(asked, signal);
  if (headers === undefined) return undefined;
  const request: JsonRequest = { headers, signal, timeoutMs, fetch };
  const ids = new Set<string>();
  let next: string | undefined = firstPage(url, profile);
  for (let page = 0; next !== undefined && page < maxPages && ids.size < maxIds; page += 1) {
    const read: Page | undefined = readPage(await getJson(next, request), next);
    if (read === undefined) {
      if (page === 0) return await ollamaTags(baseUrl, request);
      // Half a list would look like a whole one.
      return undefined;
    }
    for (const id of read.ids) ids.add(id);
    next = read.next;
  }
  return [...ids].slice(0, maxIds);
}

/** Undefined when nobody is let in: there is no use in asking then. */
async function headersOf({ profile, authorizer, log = noLog }: ListRequest, signal: AbortSignal) {
  try {
    return { ...profile.headers, ...(await authorizer?.headers(signal)) };
  } catch (error) {
    log.info(`${profile.id} is not asked for its models`, error);
    return undefined;
  }
}

function firstPage(url: string, { apiMode }: ProviderWire): string {
  if (apiMode === 'anthropic_messages') return withParameter(url, 'limit', '1000');
  return apiMode === 'gemini_generate' ? withParameter(url, 'pageSize', '1000') : url;
}

function readPage(answer: JsonValue | undefined, url: string): Page | undefined {
  const known = isJsonObject(answer) ? Array.isArray(answer['data'] ?? answer['models']) : Array.isArray(answer);
  if (!known) return undefined;
  const ids = entriesOf(answer)
    .filter(({ supportedGenerationMethods: methods }) => !Array.isArray(methods) || methods.includes('generateContent'))
    .flatMap(({ id, name, model, slug }) => [id, slug, model, name].find((value) => typeof value === 'string') ?? [])
    .map((id) => id.replace(/^models\//, ''))
    .filter(isShowable);
  if (!isJsonObject(answer)) return { ids };
  const { nextPageToken, has_more: hasMore, last_id: lastId } = answer;
  if (typeof nextPageToken === 'string' && nextPageToken !== '') {
    return { ids, next: withParameter(url, 'pageToken', nextPageToken) };
  }
  if (hasMore === true && typeof lastId === 'string') return { ids, next: withParameter(url, 'after_id', lastId) };
  return { ids };
}

/** Servers on this machine that have only Ollama's own list. */
async function ollamaTags(baseUrl: string, request: JsonRequest): Promise<readonly string[] | undefined> {
  const base = URL.parse(baseUrl);
  if (base === null || !isLocalHost(base.hostname)) return undefined;
  return readPage(await getJson(`${base.origin}/api/tags`, request), baseUrl)?.ids;
}

function withParameter(url: string, name: string, value: string): string {
  const address = new URL(url);
  address.searchParams.set(name, value);
  return address.href;
}

/** Ids are printed in menus. */
function isShowable(id: string): boolean {
  return id !== '' && id.length <= maxIdLength && !/\p{Cc}/u.test(id);
}

async function readKept(path: string, url: string, log: Log): Promise<z.infer<typeof keptList> | undefined> {
  try {
    const parsed = keptList.safeParse(parseJson(await readFile(path, 'utf8')));
    return parsed.success && parsed.data.url === url ? parsed.data : undefined;
  } catch (error) {
    log.debug(`there is no usable list of models in ${path}`, error);
    return undefined;
  }
}

async function keep(path: string, list: z.infer<typeof keptList>, log: Log): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    writeFileAtomic(path, JSON.stringify(list));
  } catch (error) {
    log.info('the list of models is asked for again next time', error);
  }
}
