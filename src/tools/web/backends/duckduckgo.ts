/** DuckDuckGo, over the page that it has for browsers without scripts: what searches when nothing is set up. */
import { UserError } from '../../../lib/errors.ts';
import { askForText } from './ask-service.ts';
import type { SearchHit, WebBackend, WebRequest } from './web-backend.ts';

const address = 'https://html.duckduckgo.com/html/';
const timeoutMs = 15_000;
const maxPages = 5;
/** Only known browsers are answered; this says what it is as well. */
const headers = { 'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)', accept: 'text/html' };

export const duckDuckGo: WebBackend = {
  async search(query, limit, request) {
    const { readResults } = await import('./duckduckgo-page.ts');
    const hits = new Map<string, SearchHit>();
    let form = new URLSearchParams({ q: query });
    for (let page = 0; page < maxPages && hits.size < limit; page += 1) {
      const read = readResults(await ask(form, request));
      if (read.isChallenge && hits.size === 0) throw blocked();
      for (const hit of read.hits) if (!hits.has(hit.url)) hits.set(hit.url, hit);
      if (read.next === undefined || read.hits.length === 0) break;
      form = new URLSearchParams([...read.next]);
    }
    return [...hits.values()].slice(0, limit);
  },
};

async function ask(form: URLSearchParams, request: WebRequest): Promise<string> {
  const call = { name: 'DuckDuckGo', url: address, headers, body: form.toString(), timeoutMs };
  return (await askForText(call, request)).text;
}

/** It wants to know whether a person asks. */
function blocked(): UserError {
  return new UserError(
    'DuckDuckGo does not answer programs from here for a while. Try again in some minutes, or set up a search service: web.search_backend.',
  );
}
