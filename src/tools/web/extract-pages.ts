/** Reads several pages through a backend, and keeps to what may be read, before and after. */
import type { ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { BackendEntry, ExtractedPage } from './backends/web-backend.ts';
import { blockedMessage } from './blocked-sites.ts';
import { refuseResolved } from './outbound.ts';
import { refusalWords } from './refusal-words.ts';
import { visible } from './visible-text.ts';
import { refuseBlocked } from './web-results.ts';

export interface PageResult {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly error: string | null;
  readonly blocked_by_policy?: { readonly host: string; readonly rule: string; readonly source: string };
}

const maxTitleChars = 500;
const nothing = 'Content was inaccessible or not found';

/** In the order of the addresses; what cannot be read says why. Throws what the backend throws for all of them. */
export async function readPages(
  addresses: readonly string[],
  backend: BackendEntry,
  { signal, services }: ToolContext<ToolServices>,
): Promise<readonly PageResult[]> {
  const {
    config,
    state: { web },
  } = services;
  await web.blocked.refresh?.();
  const refused = await Promise.all(addresses.map((address) => refusedResult(address, backend, services)));
  const open = addresses.filter((_, at) => refused[at] === undefined);
  const request = { access: web, config, signal, refuse: refuseBlocked(services) };
  const read = open.length === 0 ? [] : ((await (await backend.load()).extract?.(open, request)) ?? []);
  return await Promise.all(
    addresses.map(async (address, at) => {
      const known = refused[at];
      if (known !== undefined) return known;
      const page = read.find(({ asked }) => sameAddress(asked, address)) ?? soleAnswer(read, open);
      return page === undefined ? failed(address, nothing) : await checkedResult(address, page, backend, services);
    }),
  );
}

/** A backend that writes the one address otherwise than it was asked for still means it. */
function soleAnswer(read: readonly ExtractedPage[], open: readonly string[]): ExtractedPage | undefined {
  return read.length === 1 && open.length === 1 ? read[0] : undefined;
}

function sameAddress(one: string, other: string): boolean {
  const plain = (text: string): string => (URL.parse(text)?.href ?? text).replace(/#.*$/, '').replace(/\/$/, '');
  return one === other || plain(one) === plain(other);
}

async function checkedResult(
  address: string,
  page: ExtractedPage,
  backend: BackendEntry,
  services: ToolServices,
): Promise<PageResult> {
  // Where a service ended up is looked at as well: what lies there may be what must not be read.
  const moved = sameAddress(page.url, address) ? undefined : await refusedResult(page.url, backend, services);
  if (moved !== undefined) return moved;
  const { error, title, content } = page;
  if (error !== undefined) return failed(address, services.redact(error));
  const text = visible(withoutInlinePictures(content)).trim();
  if (text === '') return failed(page.url, nothing);
  const line = visible(title).replace(/\s+/g, ' ').trim().slice(0, maxTitleChars).toWellFormed();
  return { url: page.url, title: line, content: text.toWellFormed(), error: null };
}

/** What the guard or the owner's list has against an address; undefined when it may be read. */
async function refusedResult(
  address: string,
  backend: BackendEntry,
  services: ToolServices,
): Promise<PageResult | undefined> {
  const {
    config,
    state: { web },
  } = services;
  const url = URL.parse(address);
  const site = url === null ? undefined : web.blocked.find(url);
  if (site !== undefined) return { ...failed(address, blockedMessage(site)), blocked_by_policy: site };
  const allowPrivate = config.security.allow_private_urls;
  // Our own reader asks the addresses that it checked; what somebody else asks is looked at before.
  if (backend.id === 'builtin') return undefined;
  const { lookup } = web;
  const refusal = await refuseResolved(address, { allowPrivate, ...(lookup === undefined ? {} : { lookup }) });
  return refusal === undefined ? undefined : failed(address, refusalWords(refusal));
}

function failed(url: string, error: string): PageResult {
  return { url, title: '', content: '', error };
}

/** Pictures that stand in the text itself; those with an address stay. */
function withoutInlinePictures(text: string): string {
  return text
    .replace(/!\[([^\]\n]{0,300})\]\(\s*data:[^)]*\)/g, (_, alt: string) => `[IMAGE: ${alt}]`)
    .replace(/\(?data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]*\)?/g, '[IMAGE]');
}
