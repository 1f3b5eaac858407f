/** What there is against what a model wants to do in the browser. */
import { escapeForDisplay } from '../../safety/display.ts';
import { contactWith, type Finding, harmless, type Judgement } from '../../safety/finding.ts';
import { isStrange } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';
import { hasSpoken, holdsValue, mayCarry } from '../web/judge-web.ts';

/*
 * Whoever browses has text from outside before them all the time, so a question for each step would be a flood, and nobody
 * reads those. What counts is what leaves: an address that the model wrote, what it types, scripts that it runs. Scripts are
 * asked about. What is typed is not where the person named the host, or where the host was chosen before any text of
 * strangers had entered, that of files included, and where the words are the person's own. An address is not while nothing
 * of that host has been read, for then nobody there can have told the model what to put into it. Looking, scrolling,
 * clicking and the links of a page to its own host tell a page no more than which of its things was taken, and are never
 * asked about; but in a browser with the person's logins, where a click may act in their name, the first thing that is done
 * on each host is.
 */

/** `offered`: a page that was shown has this very address on it, so nothing of ours is in it. */
export function judgeNavigation(url: URL, offered: boolean, services: ToolServices): Judgement {
  const { browser, hosts, web } = services.state;
  const shown = escapeForDisplay(`opens ${url.href}`);
  const entered = hosts.entered();
  const known = isKnown(url, services);
  const isFree = web.found.has(url) || hosts.said.includes(url) || (hasSpoken(url, entered) ? offered : known);
  const findings = isFree
    ? []
    : [contactWith(url.host, !known && (mayCarry(url) || holdsValue(url)) ? 'files' : 'outside')];
  // Nobody but the person and the model can have chosen it.
  if (entered.some((source) => isStrange(source, 'files'))) return { shown, findings };
  return { shown, findings, onAllowed: () => browser?.trust(url.host) };
}

/** Typing, and keys that write: `text` is what the page gets, `what` how it is shown. */
export function judgeInput(what: string, text: string, services: ToolServices): Judgement {
  const { browser, hosts } = services.state;
  const url = browser?.address;
  if (url === undefined) return harmless;
  const isTheirs = isKnown(url, services) && hosts.said.holdsWordsOf(text);
  const found = isTheirs ? [] : [onPage('types into pages of', url)];
  return { shown: escapeForDisplay(`on ${url.href}: ${what}`), findings: [...found, ...inTheirName(services)] };
}

/** Clicks, and keys that write nothing. */
export function judgeAct(what: string, services: ToolServices): Judgement {
  const url = services.state.browser?.address;
  if (url === undefined) return harmless;
  return { shown: escapeForDisplay(`on ${url.href}: ${what}`), findings: inTheirName(services) };
}

/** A script may send what it is given anywhere, and a page could have told the model which. */
export function judgeScript(script: string, services: ToolServices): Judgement {
  const url = services.state.browser?.address;
  if (url === undefined) return harmless;
  const found = onPage('runs scripts in pages of', url);
  return { shown: escapeForDisplay(`on ${url.href}: ${script}`), findings: [found, ...inTheirName(services)] };
}

function isKnown(url: URL, { state: { browser, hosts } }: ToolServices): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const bare = name.replace(/^www\./, '');
  return browser?.trusts(url.host) === true || hosts.allows(name, port) || hosts.allows(bare, port);
}

function inTheirName({ state: { browser } }: ToolServices): readonly Finding[] {
  const url = browser?.address;
  return url === undefined || browser?.isPersons !== true ? [] : [onPage('acts in your own browser on', url)];
}

function onPage(does: string, { host }: URL): Finding {
  const description = `${does} ${host}`;
  return { ...contactWith(host, 'outside'), key: description, description };
}
