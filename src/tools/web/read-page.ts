/** Reads a web page as text for a model. */
import { UserError } from '../../lib/errors.ts';
import { type ConvertOptions, PageConverter } from './convert-page.ts';
import { decodePage, kindOf, mediaType } from './decode-page.ts';
import { looksLikeFeed } from './feed-start.ts';
import { getOutbound, type OutboundAnswer, type OutboundOptions } from './outbound.ts';
import { visible } from './visible-text.ts';

export interface ReadPageOptions extends Omit<OutboundOptions, 'accept' | 'onHead'> {
  /** Of the Markdown; the rest is left out, which its end says. Default 200,000. */
  readonly maxChars?: number;
  /** Milliseconds for turning HTML into Markdown; default 8,000. */
  readonly convertTimeoutMs?: number;
}

export interface ReadPage {
  /** One line; empty when the page has none. */
  readonly title: string;
  /** Text that somebody else wrote: data for the model, never instructions. */
  readonly markdown: string;
  /** After redirects. */
  readonly url: string;
}

/**
 * The readable part of an HTML page as Markdown, the text of a PDF, the entries of a feed; plain text, JSON, XML and Markdown
 * as they are. Text that a visitor would not see is left out: hidden elements, comments, invisible characters. Throws the
 * signal's reason when it aborts, and `UserError` for every other failure; pictures and other binary files are refused.
 */
export async function readPage(address: string, options: ReadPageOptions): Promise<ReadPage> {
  const { signal, maxChars = 200_000, convertTimeoutMs } = options;
  await using threads = new AsyncDisposableStack();
  let started: PageConverter | undefined;
  const converter = (): PageConverter => (started ??= threads.use(new PageConverter()));
  const answer = await getOutbound(address, {
    ...options,
    accept,
    // The thread is there by the time the page is.
    onHead: ({ statusCode, headers }) => {
      if (statusCode === 200 && htmlTypes.has(mediaType(headers['content-type']))) converter();
    },
  });
  const timeout = convertTimeoutMs === undefined ? {} : { timeoutMs: convertTimeoutMs };
  const { title, markdown } = await textOf(answer, converter, { signal, ...timeout });
  const text = visible(markdown).trim();
  if (text === '') throw new UserError(`${answer.url.host} answered with a page that has no readable text.`);
  return { title: visible(title), markdown: cut(text, maxChars), url: answer.url.href };
}

const accept =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8, application/pdf;q=0.8';

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** Of the source; the end of a longer page is left out. */
const maxSourceChars = 8_000_000;

async function textOf(
  { url, status, headers, body }: OutboundAnswer,
  converter: () => PageConverter,
  options: ConvertOptions,
): Promise<{ title: string; markdown: string }> {
  if (status < 200 || status > 299) throw new UserError(`${url.host} answered with status ${status}.`);
  const contentType = headers['content-type'];
  const kind = kindOf(contentType, body);
  if (kind === 'pdf') return { title: '', markdown: await pdfTextOf(url, body, options.signal) };
  if (kind === 'binary') {
    const type = /^[\w.+-]+\/[\w.+-]{1,60}$/.exec(mediaType(contentType))?.[0] ?? 'an unknown type';
    throw new UserError(`${url.host} answered with a file that is not text (${type}).`);
  }
  const text = decodePage(contentType, body, kind).slice(0, maxSourceChars);
  if (kind === 'html') return await converter().convert({ text, url: url.href, kind }, options);
  if (looksLikeFeed(text)) return await converter().convert({ text, url: url.href, kind: 'feed' }, options);
  return { title: '', markdown: text };
}

async function pdfTextOf(url: URL, body: Uint8Array, signal: AbortSignal): Promise<string> {
  const { extractDocument } = await import('../file/documents/extract-document.ts');
  const text = await extractDocument('pdf', body, signal);
  if (text === undefined) throw new UserError(`The PDF of ${url.host} is broken, locked, or takes too long to read.`);
  if (text.trim() === '') throw new UserError(`The PDF of ${url.host} has no text in it; its pages are pictures.`);
  return text;
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Not between the halves of a character.
  const kept = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n\n[The page goes on; ${text.length - kept.length} more characters were left out.]`;
}
