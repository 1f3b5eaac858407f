/** `web_search`: finds pages. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolOutcome } from '../../agent/tool.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import { holdsKey } from '../../safety/address-secrets.ts';
import { harmless } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { resolveBackend } from './backends/resolve.ts';
import type { BackendEntry, SearchHit } from './backends/web-backend.ts';
import { judgeQuery } from './judge-web.ts';
import { visible } from './visible-text.ts';
import { indented, refuseBlocked } from './web-results.ts';

const usualHits = 5;
const maxHits = 100;
const maxFieldChars = 4000;

const parameters = z.object({
  query: z.string().min(1).describe('Operators such as site: work where the search service knows them'),
  limit: z.int().default(usualHits).describe('1 to 100').optional(),
});

export const webSearchTool = defineTool<ToolServices, typeof parameters>({
  name: 'web_search',
  toolset: 'web',
  description: 'Search the web. Gives titles, addresses and descriptions.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '🔍', preview: ({ query }) => firstWords(query) },
  judge({ query }, services) {
    const backend = chosen(services);
    return backend === undefined ? harmless : judgeQuery(query, backend.host(services.state.web), backend, services);
  },
  sources: (_, services) => sourcesOf(chosen(services), services),
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'safe',
  async execute({ query, limit = usualHits }, { signal, services }) {
    const { config, state, redact } = services;
    const { web } = state;
    if (holdsKey(query) || redact(query) !== query)
      return failed('Blocked: the query holds what looks like a key or a password.');
    try {
      const backend = resolveBackend('search', config, web);
      const wanted = Math.min(maxHits, Math.max(1, limit));
      const request = { access: web, config, signal, refuse: refuseBlocked(services) };
      const service = await backend.load();
      const hits = ((await service.search?.(query, wanted, request)) ?? []).slice(0, wanted);
      // What a model wrote may hold what it was asked.
      if (backend.asksAModel !== true) state.web.found.add(hits.map(({ url }) => url));
      const value = { success: true, data: { web: hits.map((hit, at) => ({ ...shown(hit), position: at + 1 })) } };
      return { ...indented(value, false), sources: sourcesOf(backend, services) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      return failed(redact([errorMessage(error), error.hint].filter((line) => line !== undefined).join(' ')));
    }
  },
});

/** Undefined when there is none: what is wrong is told when it is called for. */
function chosen({ config, state: { web } }: ToolServices): BackendEntry | undefined {
  try {
    return resolveBackend('search', config, web);
  } catch {
    return undefined;
  }
}

function sourcesOf(backend: BackendEntry | undefined, { state: { web } }: ToolServices): readonly Source[] {
  return [{ from: 'page', ...(backend === undefined ? {} : { name: backend.host(web) }) }];
}

function shown({ title, url, description }: SearchHit): SearchHit {
  const field = (text: string): string => visible(text).slice(0, maxFieldChars).toWellFormed();
  return { title: field(title), url: field(url), description: field(description) };
}

function failed(error: string): ToolOutcome {
  return indented({ success: false, error }, true);
}
