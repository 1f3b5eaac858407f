/** A feed (RSS, Atom, RDF) as Markdown: what it is, and its entries with their links and dates. */
import { parseFeed } from 'htmlparser2';
import { htmlToMarkdown, type PageText } from './html-to-markdown.ts';

const maxEntries = 200;
const maxEntryChars = 2000;

/** What cannot be read as a feed stays as it is. */
export function feedToMarkdown(text: string, url: string): PageText {
  const feed = parseFeed(text);
  if (feed === null || feed.items.length === 0) return { title: '', markdown: text };
  const entries = feed.items.slice(0, maxEntries).map(({ title, link, pubDate, description }) => {
    const name = oneLine(title ?? '') || 'Untitled';
    const address = link === undefined ? null : URL.parse(link, url);
    const isLink = address?.protocol === 'http:' || address?.protocol === 'https:';
    const day =
      pubDate === undefined || Number.isNaN(pubDate.getTime()) ? undefined : pubDate.toISOString().slice(0, 10);
    const body = htmlToMarkdown((description ?? '').slice(0, maxEntryChars * 5), url).markdown.slice(0, maxEntryChars);
    return [`## ${isLink ? `[${name}](${address.href})` : name}`, day, body]
      .filter((part) => part !== undefined && part !== '')
      .join('\n\n');
  });
  const left = feed.items.length - entries.length;
  const about = oneLine(htmlToMarkdown(feed.description ?? '', url).markdown);
  const more = left > 0 ? [`[${left} more entries were left out.]`] : [];
  return {
    title: oneLine(feed.title ?? ''),
    markdown: [...(about === '' ? [] : [about]), ...entries, ...more].join('\n\n'),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
}
