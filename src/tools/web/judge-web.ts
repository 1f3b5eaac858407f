/** What there is against asking the web: once text from outside has entered, it may have chosen whom, and with what. */
import { isIP } from 'node:net';
import { escapeForDisplay } from '../../safety/display.ts';
import { contactWith, type Finding, type Judgement } from '../../safety/finding.ts';
import type { Source } from '../../llm/source.ts';
import { hostText } from '../../safety/hosts.ts';
import type { ToolServices } from '../services.ts';
import type { BackendEntry } from './backends/web-backend.ts';
import { withoutFragment } from './found-addresses.ts';

/** A path of this length says where a page is; more may say what was read before. */
const plainPathChars = 120;
/** A longer query may be more than a question. */
const plainQueryChars = 400;

/**
 * An address that a search gave, a page of the same host has on it, or the person wrote, tells its server nothing new. One that the model made may carry what
 * it read, behind a question mark, in a long path or in the name of a host that nobody has named.
 */
export function judgeAddresses(
  addresses: readonly string[],
  { state }: ToolServices,
  /** Whether somebody else may open the pages in a browser: there a page reads what stands behind # too. */
  { inBrowser = false } = {},
): Judgement {
  const findings = new Map<string, Finding>();
  for (const address of addresses) {
    const whole = URL.parse(address);
    // What is no address is not asked.
    if (whole === null) continue;
    const url = inBrowser ? whole : withoutFragment(whole);
    if (state.web.found.has(url) || state.hosts.said.includes(url) || state.hosts.said.includes(whole)) continue;
    const port = url.port === '' ? undefined : Number(url.port);
    const carries = mayCarry(url);
    const isKnown = state.hosts.allows(
      url.hostname.replace(/^\[|\]$/g, ''),
      port ?? (url.protocol === 'https:' ? 443 : 80),
    );
    if (isKnown && !carries && !hasSpoken(url, state.hosts.entered())) continue;
    const host = hostText({ host: url.hostname.replace(/^\[|\]$/g, ''), ...(port === undefined ? {} : { port }) });
    const finding = contactWith(host, !isKnown && (carries || holdsValue(url)) ? 'files' : 'outside');
    if (findings.get(host)?.onlyAfter !== 'files') findings.set(host, finding);
  }
  return { shown: shownAs(addresses.join('\n')), findings: [...findings.values()] };
}

/** It may say more than where a page is. */
export function mayCarry({ search, pathname, hash }: URL): boolean {
  return search !== '' || hash !== '' || pathname.length > plainPathChars;
}

/** Something in its host or path is no word, and may be a key, a number or what else was read before. */
export function holdsValue({ hostname, pathname }: URL): boolean {
  const host = hostname.replace(/[^.]+\.[^.]+$/, '');
  return `${isIP(hostname) === 0 ? host : ''}/${unescaped(pathname)}`.split(/[^\p{L}\p{N}]+/u).some(isValue);
}

function isValue(part: string): boolean {
  if (/^\p{N}+$/u.test(part)) return part.length >= 9;
  return part.length >= 24 || (part.length >= 8 && /\p{N}/u.test(part));
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The host, or one of the same place, wrote what the conversation holds: an address of it may be made of what we know. */
export function hasSpoken({ hostname }: URL, entered: readonly Source[]): boolean {
  return entered.some(({ from, name }) => from === 'page' && name !== undefined && site(name) === site(hostname));
}

/** The last two names of a host, which is about who it belongs to; an address as it is. */
function site(host: string): string {
  const { hostname } = URL.parse(`http://${host}/`) ?? { hostname: host };
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? bare.split('.').slice(-2).join('.') : bare;
}

/** The owner chose who searches, so only what could go further is asked about, and a value that nobody said. */
export function judgeQuery(
  query: string,
  host: string,
  { asksAModel }: Pick<BackendEntry, 'asksAModel'>,
  { state }: ToolServices,
): Judgement {
  const asks = asksAModel === true || query.length > plainQueryChars || state.hosts.told.lackOneOf(query);
  return { shown: shownAs(query), findings: asks ? [contactWith(host, 'outside')] : [] };
}

function shownAs(text: string): string {
  return escapeForDisplay(text).slice(0, 4000);
}
