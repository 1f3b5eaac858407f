/** Reads pages by ourselves: what reads when no service for it is set up. */
import { UserError } from '../../../lib/errors.ts';
import { refusalWords } from '../refusal-words.ts';
import type { ExtractedPage, WebBackend, WebRequest } from './web-backend.ts';

/** Of the text; the cache keeps no more either. */
const maxChars = 2_000_000;
/** Of an answer: documents are larger than pages. */
const maxBytes = 20_000_000;

export const ownReader: WebBackend = {
  extract: async (urls, request) => await Promise.all(urls.map((url) => read(url, request))),
};

async function read(asked: string, { access, config, signal, refuse }: WebRequest): Promise<ExtractedPage> {
  const { readPage } = await import('../read-page.ts');
  let refused: URL | undefined;
  try {
    const { url, title, markdown } = await readPage(asked, {
      signal,
      allowPrivate: config.security.allow_private_urls,
      proxies: access.proxies,
      maxBytes,
      refuse: (url) => {
        const reason = refuse(url);
        if (reason !== undefined) refused = url;
        return reason;
      },
      maxChars,
      ...(access.lookup === undefined ? {} : { lookup: access.lookup }),
    });
    return { asked, url, title, content: markdown };
  } catch (error) {
    // One page that fails takes none of the others with it.
    if (!(error instanceof UserError)) throw error;
    return { asked, url: refused?.href ?? asked, title: '', content: '', error: refusalWords(error) };
  }
}
