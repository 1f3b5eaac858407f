/** xAI: a model of theirs searches and writes the results. */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { parseJson } from '../../../lib/json.ts';
import { askXai, type XaiAnswer } from '../ask-xai.ts';
import type { SearchHit, WebBackend } from './web-backend.ts';

const usualModel = 'grok-build-0.1';
const maxDomains = 5;

const written = z.looseObject({
  results: z.array(
    z.looseObject({ title: z.string().catch(''), url: z.string().min(1), description: z.string().catch('') }),
  ),
});

export const xai: WebBackend = {
  async search(query, limit, request) {
    const { model = usualModel, timeout, allowed_domains, excluded_domains } = request.config.web.xai;
    const body = {
      model,
      input: [{ role: 'user', content: orderFor(query, limit) }],
      tools: [{ type: 'web_search', ...filtersOf(allowed_domains, excluded_domains) }],
      include: ['no_inline_citations'],
    };
    return readHits(await askXai({ body, timeoutMs: timeout * 1000 }, request)).slice(0, limit);
  },
};

function filtersOf(allowed: readonly string[], excluded: readonly string[]): object {
  if (allowed.length > 0 && excluded.length > 0) {
    throw new UserError('web.xai.allowed_domains and web.xai.excluded_domains cannot both be set.');
  }
  if (allowed.length > 0) return { filters: { allowed_domains: allowed.slice(0, maxDomains) } };
  return excluded.length > 0 ? { filters: { excluded_domains: excluded.slice(0, maxDomains) } } : {};
}

function orderFor(query: string, limit: number): string {
  return [
    `Search the web for what stands in the last line, and give the best ${limit} pages.`,
    'Answer with one JSON object and nothing around it: {"results":[{"title":"…","url":"https://…","description":"what the page says about it, in a sentence or two"}]}.',
    'Give real addresses only; {"results":[]} when there is nothing.',
    query,
  ].join('\n');
}

/** What it wrote; where that is no JSON, at least the pages that it cites. */
function readHits({ text, citations, inline }: XaiAnswer): readonly SearchHit[] {
  const parsed = written.safeParse(parseJson(/\{[^]*\}/.exec(text)?.[0] ?? ''));
  if (parsed.success) return parsed.data.results;
  const cited = [...inline.map(({ url, title }) => ({ url, title })), ...citations.map((url) => ({ url, title: '' }))];
  const known = new Map(
    cited
      .filter(({ url }) => url !== '')
      .toReversed()
      .map((hit) => [hit.url, hit]),
  );
  return [...known.values()].toReversed().map(({ url, title }) => ({ url, title, description: '' }));
}
