/** Every backend, in the order in which one is looked for when none is named. To add one: one file, one entry here. */
import { usualFirecrawl, usualTavily } from './usual-addresses.ts';
import type { BackendEntry } from './web-backend.ts';

export const webBackends: readonly BackendEntry[] = [
  {
    id: 'tavily',
    name: 'Tavily',
    capabilities: ['search', 'extract'],
    needs: 'TAVILY_API_KEY',
    isAvailable: ({ variables }) => variables.tavilyKey !== undefined,
    host: ({ variables }) => hostOf(variables.tavilyUrl ?? usualTavily),
    load: async () => (await import('./tavily.ts')).tavily,
  },
  {
    id: 'exa',
    name: 'Exa',
    capabilities: ['search', 'extract'],
    needs: 'EXA_API_KEY',
    isAvailable: ({ variables }) => variables.exaKey !== undefined,
    host: () => 'api.exa.ai',
    load: async () => (await import('./exa.ts')).exa,
  },
  {
    id: 'parallel',
    name: 'Parallel',
    capabilities: ['search', 'extract'],
    needs: 'PARALLEL_API_KEY',
    isAvailable: ({ variables }) => variables.parallelKey !== undefined,
    host: () => 'api.parallel.ai',
    load: async () => (await import('./parallel.ts')).parallel,
  },
  {
    id: 'firecrawl',
    name: 'Firecrawl',
    capabilities: ['search', 'extract'],
    needs: 'FIRECRAWL_API_KEY, FIRECRAWL_API_URL or a login of Nous Portal (hermes auth add nous)',
    isAvailable: ({ firecrawl }) => firecrawl.kind !== 'none',
    host: ({ variables, firecrawl }) =>
      hostOf(firecrawl.kind === 'gateway' ? firecrawl.address : (variables.firecrawlUrl ?? usualFirecrawl)),
    load: async () => (await import('./firecrawl.ts')).firecrawl,
  },
  {
    id: 'searxng',
    name: 'SearXNG',
    capabilities: ['search'],
    needs: 'SEARXNG_URL',
    isAvailable: ({ variables }) => variables.searxngUrl !== undefined,
    host: ({ variables }) => hostOf(variables.searxngUrl ?? ''),
    load: async () => (await import('./searxng.ts')).searxng,
  },
  {
    id: 'brave-free',
    name: 'Brave Search',
    capabilities: ['search'],
    needs: 'BRAVE_SEARCH_API_KEY',
    isAvailable: ({ variables }) => variables.braveKey !== undefined,
    host: () => 'api.search.brave.com',
    load: async () => (await import('./brave.ts')).brave,
  },
  {
    id: 'xai',
    name: 'xAI',
    capabilities: ['search'],
    needs: 'XAI_API_KEY or a login (hermes auth add xai-oauth)',
    onlyNamed: true,
    asksAModel: true,
    isAvailable: ({ xai }) => xai.isThere(),
    host: () => 'api.x.ai',
    load: async () => (await import('./xai.ts')).xai,
  },
  {
    id: 'ddgs',
    name: 'DuckDuckGo',
    capabilities: ['search'],
    isAvailable: () => true,
    host: () => 'html.duckduckgo.com',
    load: async () => (await import('./duckduckgo.ts')).duckDuckGo,
  },
  {
    id: 'builtin',
    name: 'the built-in reader',
    capabilities: ['extract'],
    isAvailable: () => true,
    host: () => 'the web',
    load: async () => (await import('./own-reader.ts')).ownReader,
  },
];

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
