/** Addresses on a page that was read. */
import type { PageResult } from './extract-pages.ts';

const maxLinks = 500;

/**
 * Links of a page to pages of its own host, as they stand in its Markdown. Who wrote them did not know this conversation, so
 * asking for one of them tells the host no more than which.
 */
export function ownLinks({ url, content }: Pick<PageResult, 'url' | 'content'>): readonly string[] {
  const page = URL.parse(url);
  if (page === null) return [];
  const written = content.matchAll(/\]\(\s*<?([^\s<>)]{1,2000})|<(https?:\/\/[^\s<>]{1,2000})>/gi);
  return [...written].slice(0, maxLinks).flatMap(([, link, bare]) => {
    const address = URL.parse(link ?? bare ?? '', page.href);
    return address?.host === page.host ? [address.href] : [];
  });
}
