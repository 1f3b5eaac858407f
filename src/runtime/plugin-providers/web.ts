/** Searching the web and reading pages with the code of a plug-in. */
import * as z from 'zod';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import type { BackendEntry, ExtractedPage, WebBackend } from '../../tools/web/backends/web-backend.ts';
import { readAnswer } from './read-answer.ts';

const deadlineMs = 60_000;
/** As much of a page is kept. */
const maxPageChars = 2_000_000;

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');
const hits = z.array(z.looseObject({ title: text, url: z.string(), description: text })).max(500);
const searched = z.union([
  hits,
  z.looseObject({ data: z.looseObject({ web: hits }) }).transform(({ data }) => data.web),
]);
const pages = z
  .array(z.looseObject({ url: text, title: text, content: text, raw_content: text, error: z.string().nullish() }))
  .max(100);
const extracted = z.union([
  pages,
  z.looseObject({ results: pages }).transform(({ results }) => results),
  z.looseObject({ data: pages }).transform(({ data }) => data),
]);

/** Chosen by its name only: who set up another service did not mean this one. */
export function addedWeb(provider: PluginProvider): BackendEntry {
  const { name, displayName, plugin } = provider;
  const searches = provider.can('search') && provider.told('supports_search') !== false;
  const reads = provider.can('extract') && provider.told('supports_extract') !== false;
  return {
    id: name,
    name: displayName,
    capabilities: [...(searches ? (['search'] as const) : []), ...(reads ? (['extract'] as const) : [])],
    needs: `what the plug-in ${plugin} needs`,
    onlyNamed: true,
    isAvailable: () => provider.isAvailable(),
    host: () => `plug-in ${plugin}`,
    load: () => Promise.resolve(backendOf(provider)),
  };
}

function backendOf(provider: PluginProvider): WebBackend {
  return {
    async search(query, limit, { signal }) {
      const found = readAnswer(
        provider,
        searched,
        await provider.ask('search', [query, limit], { signal, deadlineMs }),
      );
      return found.slice(0, limit).map(({ title, url, description }) => ({ title, url, description }));
    },
    async extract(urls, { signal }) {
      const read = readAnswer(provider, extracted, await provider.ask('extract', [urls], { signal, deadlineMs }));
      return read.map((page, at): ExtractedPage => {
        const { url, title, content, raw_content, error } = page;
        const asked = urls.find((one) => one === url) ?? (read.length === urls.length ? urls[at] : undefined) ?? url;
        return {
          asked,
          url: url === '' ? asked : url,
          title,
          content: (content === '' ? raw_content : content).slice(0, maxPageChars),
          ...(typeof error === 'string' && error !== '' ? { error } : {}),
        };
      });
    },
  };
}
