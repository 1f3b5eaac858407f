/** `x_search`: searches posts on X, through a model of xAI. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolContext, ToolOutcome } from '../../agent/tool.ts';
import { UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import { holdsKey } from '../../safety/address-secrets.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { askXai, type XaiAnswer } from '../web/ask-xai.ts';
import { ServiceRefusal } from '../web/backends/ask-service.ts';
import { judgeQuery } from '../web/judge-web.ts';
import { visible } from '../web/visible-text.ts';
import { problemOf, type XFilters } from './x-filters.ts';

const usualModel = 'grok-4.5';
const host = 'api.x.ai';
const retryMs = 1500;
const maxRetryMs = 5000;
const maxRetries = 10;

const handles = () => z.array(z.string()).optional();

const parameters = z.object({
  query: z.string().min(1),
  allowed_x_handles: handles().describe('Only these accounts, at most 10'),
  excluded_x_handles: handles().describe('Not these'),
  from_date: z.string().optional().describe('YYYY-MM-DD'),
  to_date: z.string().optional(),
  enable_image_understanding: z.boolean().optional(),
  enable_video_understanding: z.boolean().optional(),
});

type Args = z.infer<typeof parameters>;

const sources: readonly Source[] = [{ from: 'page', name: host }];

export const xSearchTool = defineTool<ToolServices, typeof parameters>({
  name: 'x_search',
  toolset: 'x_search',
  description: 'Search posts, profiles and threads on X (Twitter). For what is said there, not for web pages.',
  parameters,
  traits: { quotesOthers: true, idempotent: true, longRunning: true },
  display: { emoji: '🐦', preview: ({ query }) => firstWords(query) },
  available: ({ state }) => state.web.xai.isThere(),
  judge: ({ query }, services) => judgeQuery(query, host, { asksAModel: true }, services),
  sources: () => sources,
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'safe',
  async execute(args, context) {
    const { redact } = context.services;
    const query = args.query.trim();
    const filters = filtersOf(args);
    const hasKey = holdsKey(query) || redact(query) !== query;
    const problem = hasKey
      ? 'Blocked: the query holds what looks like a key or a password.'
      : problemOf(filters, new Date());
    if (query === '') return failed('query is required for x_search');
    if (problem !== undefined) return failed(problem);
    try {
      return { ...shown(await search(query, filters, args, context), query, filters, context), sources };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      return failed(redact(error.message));
    }
  },
});

function filtersOf({ allowed_x_handles, excluded_x_handles, from_date, to_date }: Args): XFilters {
  const plain = (names: readonly string[] = []): readonly string[] =>
    names.map((name) => name.trim().replace(/^@+/, '')).filter((name) => name !== '');
  return {
    allowed_x_handles: plain(allowed_x_handles),
    excluded_x_handles: plain(excluded_x_handles),
    from_date: from_date?.trim() ?? '',
    to_date: to_date?.trim() ?? '',
  };
}

/** The names of those that are set. */
function setFilters(filters: XFilters): readonly (keyof XFilters)[] {
  const names: readonly (keyof XFilters)[] = ['allowed_x_handles', 'excluded_x_handles', 'from_date', 'to_date'];
  return names.filter((name) => filters[name].length > 0);
}

async function search(
  query: string,
  filters: XFilters,
  { enable_image_understanding, enable_video_understanding }: Args,
  { signal, services }: ToolContext<ToolServices>,
): Promise<XaiAnswer> {
  const { model = usualModel, reasoning_effort: effort, timeout_seconds, retries } = services.config.x_search;
  const tool = {
    type: 'x_search',
    ...Object.fromEntries(setFilters(filters).map((name) => [name, filters[name]])),
    ...(enable_image_understanding === true ? { enable_image_understanding } : {}),
    ...(enable_video_understanding === true ? { enable_video_understanding } : {}),
  };
  const body = {
    model,
    input: [{ role: 'user', content: query }],
    tools: [tool],
    store: false,
    ...(effort === undefined ? {} : { reasoning: { effort } }),
  };
  const request = { access: services.state.web, signal };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askXai({ body, timeoutMs: timeout_seconds * 1000 }, request);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt > Math.min(retries, maxRetries) || !mayPass(error)) throw error;
      await services.state.web.sleep(Math.min(maxRetryMs, retryMs * attempt), signal);
    }
  }
}

/** What the service, or the way to it, may do better the next time. */
function mayPass(error: unknown): boolean {
  if (error instanceof ServiceRefusal) return error.status >= 500;
  return error instanceof UserError && error.cause !== undefined;
}

function shown(
  { text, citations, inline, credential }: XaiAnswer,
  query: string,
  filters: XFilters,
  { services }: ToolContext<ToolServices>,
): ToolOutcome {
  const set = setFilters(filters);
  const degraded = set.length > 0 && citations.length === 0 && inline.length === 0;
  const value = {
    success: true,
    provider: 'xai',
    credential_source: credential,
    tool: 'x_search',
    model: services.config.x_search.model ?? usualModel,
    query,
    answer: visible(text),
    citations,
    inline_citations: inline,
    degraded,
    degraded_reason: degraded ? `no citations returned despite filters: ${set.join(', ')}` : null,
  };
  return { content: JSON.stringify(value), isError: false };
}

function failed(error: string): ToolOutcome {
  return { content: JSON.stringify({ success: false, provider: 'xai', tool: 'x_search', error }), isError: true };
}
