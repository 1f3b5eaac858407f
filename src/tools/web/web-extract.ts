/** `web_extract`: reads pages. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolContext, ToolOutcome } from '../../agent/tool.ts';
import { UserError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Source } from '../../llm/source.ts';
import { secretInAddress } from '../../safety/address-secrets.ts';
import type { ToolServices } from '../services.ts';
import { resolveBackend } from './backends/resolve.ts';
import { judgeAddresses } from './judge-web.ts';
import { ownLinks } from './page-links.ts';
import { indented } from './web-results.ts';

const maxUrls = 5;
const leastChars = 2000;
const mostChars = 500_000;

const parameters = z.object({
  urls: z.preprocess(addressesIn, z.array(z.string()).max(maxUrls)),
  char_limit: z.int().optional().describe('Of a page; at least 2000'),
});

export const webExtractTool = defineTool<ToolServices, typeof parameters>({
  name: 'web_extract',
  toolset: 'web',
  description:
    'Read web pages and PDFs as Markdown. Of a longer page you get beginning and end, and a path to read_file the rest.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '📄', preview: ({ urls }) => urls.join(' ') },
  judge: ({ urls }, services) => judgeAddresses(urls.map(withScheme), services, { inBrowser: !readsItself(services) }),
  sources: ({ urls }) => sourcesOf(urls.map(withScheme)),
  refusal: (message) => ({ success: false, error: message }),
  parallel: 'safe',
  async execute({ urls, char_limit }, context) {
    const addresses = [...new Set(urls.map(withScheme))];
    const refusal = refusalOf(addresses, context);
    if (refusal !== undefined) return indented({ success: false, error: refusal }, true);
    try {
      return await extract(addresses, char_limit, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      const told = [error.message, error.hint].filter((line) => line !== undefined).join(' ');
      return indented({ success: false, error: context.services.redact(told) }, true);
    }
  },
});

/** Our own reader runs no pages, and sends nothing of what stands behind #. */
function readsItself({ config, state: { web } }: ToolServices): boolean {
  try {
    return resolveBackend('extract', config, web).id === 'builtin';
  } catch {
    // Then nothing is read at all.
    return true;
  }
}

async function extract(
  addresses: readonly string[],
  asked: number | undefined,
  context: ToolContext<ToolServices>,
): Promise<ToolOutcome> {
  const {
    config,
    state: { web },
  } = context.services;
  const backend = resolveBackend('extract', config, web);
  const { readPages } = await import('./extract-pages.ts');
  const { fittingPages } = await import('./fit-pages.ts');
  const pages = await readPages(addresses, backend, context);
  // What a server has seen once, and what stands on a page of it, tells it nothing new.
  web.found.add([...addresses, ...pages.flatMap(ownLinks)]);
  const limit = Math.min(mostChars, Math.max(leastChars, asked ?? config.web.extract_char_limit));
  const results = fittingPages(pages, limit, context);
  const isError = pages.every(({ error }) => error !== null);
  return { ...indented({ results }, isError), sources: sourcesOf(pages.map(({ url }) => url)) };
}

/** One address that must not be sent anywhere refuses the whole call: the model has to write it anew. */
function refusalOf(
  addresses: readonly string[],
  { services: { redact } }: ToolContext<ToolServices>,
): string | undefined {
  if (addresses.length === 0) return 'urls must name at least one address.';
  for (const written of addresses) {
    const url = URL.parse(written);
    if (url === null) continue;
    const secret = secretInAddress(url, redact);
    if (secret !== undefined) {
      return `Blocked: the address of ${url.host} holds ${secret}. Secrets are not sent in addresses; leave it out.`;
    }
  }
  return undefined;
}

function withScheme(written: string): string {
  const text = written.trim();
  return /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[^/]*:\d/.test(text) ? text : `https://${text}`;
}

function sourcesOf(addresses: readonly string[]): readonly Source[] {
  return [...new Set(addresses.map((text) => URL.parse(text)?.host ?? ''))].map((host) =>
    host === '' ? { from: 'page' } : { from: 'page', name: host },
  );
}

/** Models also hand on whole results of a search. */
function addressesIn(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.map((item: unknown) => (isJsonObject(item) ? (item['url'] ?? item['href'] ?? item) : item));
}
