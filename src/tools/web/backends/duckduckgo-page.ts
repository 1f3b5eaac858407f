/** Reads a page of results as DuckDuckGo writes it for browsers without scripts. */
import { Parser } from 'htmlparser2';
import type { SearchHit } from './web-backend.ts';

export interface ResultPage {
  /** Without advertisements. */
  readonly hits: readonly SearchHit[];
  /** The fields of the form for the next page. */
  readonly next: readonly [name: string, value: string][] | undefined;
  /** No results, but a question whether a person is there. */
  readonly isChallenge: boolean;
}

const maxHits = 100;
const maxTextChars = 2000;

/** Whatever the page holds: what is not known is passed over. */
export function readResults(html: string): ResultPage {
  const reading = new Reading();
  const parser = new Parser({
    onopentag: (name, attributes) => reading.open(name, attributes),
    ontext: (text) => reading.text(text),
    onclosetag: (name) => reading.close(name),
  });
  parser.write(html);
  parser.end();
  return reading.result();
}

type Field = 'title' | 'description';

class Reading {
  readonly #hits: { title: string; url: string; description: string; isAd: boolean }[] = [];
  #isAd = false;
  #field: Field | undefined;
  #form: [string, string][] | undefined;
  #isNext = false;
  #next: readonly [string, string][] | undefined;
  #isChallenge = false;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const classes = new Set((attributes['class'] ?? '').split(/\s+/));
    if ([...classes].some((known) => known.startsWith('anomaly'))) this.#isChallenge = true;
    if (classes.has('result')) this.#isAd = classes.has('result--ad');
    if (name === 'a' && classes.has('result__a')) this.#begin(attributes['href'] ?? '');
    else if (classes.has('result__snippet')) this.#field = 'description';
    else if (name === 'form') [this.#form, this.#isNext] = [[], false];
    else if (name === 'input') this.#input(attributes);
  }

  text(text: string): void {
    const hit = this.#hits.at(-1);
    if (hit !== undefined && this.#field !== undefined && hit[this.#field].length < maxTextChars) {
      hit[this.#field] += text;
    }
  }

  close(name: string): void {
    if (name === 'a' || name === 'div' || name === 'td') this.#field = undefined;
    if (name !== 'form') return;
    if (this.#isNext && this.#next === undefined) this.#next = this.#form;
    this.#form = undefined;
  }

  result(): ResultPage {
    const hits = this.#hits
      .filter(({ isAd, url }) => !isAd && url !== '')
      .slice(0, maxHits)
      .map(({ title, url, description }) => ({ title: oneLine(title), url, description: oneLine(description) }));
    return { hits, next: this.#next, isChallenge: this.#isChallenge && hits.length === 0 };
  }

  #begin(href: string): void {
    if (this.#hits.length >= 2 * maxHits) return;
    this.#hits.push({ title: '', url: targetOf(href) ?? '', description: '', isAd: this.#isAd });
    this.#field = 'title';
  }

  #input({ type = '', name = '', value = '' }: Readonly<Record<string, string>>): void {
    if (type === 'submit') this.#isNext ||= value === 'Next';
    else if (type === 'hidden' && name !== '') this.#form?.push([name, value]);
  }
}

/** A link leads over a page of DuckDuckGo, which has the target in a parameter; its own pages are no results. */
function targetOf(href: string): string | undefined {
  const link = URL.parse(href, 'https://duckduckgo.com/');
  if (link === null) return undefined;
  const isOwn = /(?:^|\.)duckduckgo\.com$/.test(link.hostname);
  const target = isOwn ? URL.parse(link.searchParams.get('uddg') ?? '') : link;
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  return /(?:^|\.)duckduckgo\.com$/.test(target.hostname) && target.pathname === '/y.js' ? undefined : target.href;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
