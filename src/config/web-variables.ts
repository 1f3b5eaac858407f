/** What the environment says about services that search the web and read pages. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

/** Undefined = not set. */
export interface WebVariables {
  /** `FIRECRAWL_API_KEY` */
  readonly firecrawlKey: string | undefined;
  /** `FIRECRAWL_API_URL`: a server of one's own, which may want no key. */
  readonly firecrawlUrl: string | undefined;
  /** `PARALLEL_API_KEY` */
  readonly parallelKey: string | undefined;
  /** `PARALLEL_SEARCH_MODE`: `fast`, `one-shot` or `agentic`. */
  readonly parallelMode: string | undefined;
  /** `TAVILY_API_KEY` */
  readonly tavilyKey: string | undefined;
  /** `TAVILY_BASE_URL` */
  readonly tavilyUrl: string | undefined;
  /** `EXA_API_KEY` */
  readonly exaKey: string | undefined;
  /** `SEARXNG_URL` */
  readonly searxngUrl: string | undefined;
  /** `BRAVE_SEARCH_API_KEY` */
  readonly braveKey: string | undefined;
}

export function webVariables(variables: Variables): WebVariables {
  return {
    firecrawlKey: filled(variables['FIRECRAWL_API_KEY']),
    firecrawlUrl: filled(variables['FIRECRAWL_API_URL']),
    parallelKey: filled(variables['PARALLEL_API_KEY']),
    parallelMode: filled(variables['PARALLEL_SEARCH_MODE']),
    tavilyKey: filled(variables['TAVILY_API_KEY']),
    tavilyUrl: filled(variables['TAVILY_BASE_URL']),
    exaKey: filled(variables['EXA_API_KEY']),
    searxngUrl: filled(variables['SEARXNG_URL']),
    braveKey: filled(variables['BRAVE_SEARCH_API_KEY']),
  };
}

/** `XAI_BASE_URL` for a key, `HERMES_XAI_BASE_URL` for a login; default: the address of xAI. */
export function xaiAddress(kind: 'xai' | 'xai-oauth', variables: Variables): string {
  const own = kind === 'xai' ? variables['XAI_BASE_URL'] : variables['HERMES_XAI_BASE_URL'];
  return filled(own) ?? 'https://api.x.ai/v1';
}
