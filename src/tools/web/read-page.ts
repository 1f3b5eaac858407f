/** Reads a web page as text for a model. */
import { UserError } from '../../lib/errors.ts';
import { convertPage } from './convert-page.ts';
import { decodePage, kindOf, mediaType } from './decode-page.ts';
import { getOutbound, type OutboundAnswer, type OutboundOptions } from './outbound.ts';
import { visible } from './visible-text.ts';

export interface ReadPageOptions extends Omit<OutboundOptions, 'accept'> {
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
 * The readable part of an HTML page as Markdown; plain text, JSON, XML and Markdown as they are. Text that a visitor
 * would not see is left out: hidden elements, comments, invisible characters. Throws the signal's reason when it
 * aborts, and `UserError` for every other failure; PDF and binary files are refused.
 */
export async function readPage(address: string, options: ReadPageOptions): Promise<ReadPage> {
  const { signal, maxChars = 200_000, convertTimeoutMs } = options;
  const answer = await getOutbound(address, { ...options, accept });
  const { title, markdown } = await textOf(answer, {
    signal,
    ...(convertTimeoutMs === undefined ? {} : { timeoutMs: convertTimeoutMs }),
  });
  const text = visible(markdown).trim();
  if (text === '') throw new UserError(`${answer.url.host} answered with a page that has no readable text.`);
  return { title: visible(title), markdown: cut(text, maxChars), url: answer.url.href };
}

const accept = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8';

type ConvertOptions = Parameters<typeof convertPage>[2];

async function textOf(
  { url, status, headers, body }: OutboundAnswer,
  options: ConvertOptions,
): Promise<{ title: string; markdown: string }> {
  if (status < 200 || status > 299) throw new UserError(`${url.host} answered with status ${status}.`);
  const contentType = headers['content-type'];
  const kind = kindOf(contentType, body);
  if (kind === 'pdf') {
    throw new UserError(`${url.host} answered with a PDF document; only pages of text can be read.`, {
      hint: 'Download it, convert it to text and attach that.',
    });
  }
  if (kind === 'binary') {
    const type = /^[\w.+-]+\/[\w.+-]{1,60}$/.exec(mediaType(contentType))?.[0] ?? 'an unknown type';
    throw new UserError(`${url.host} answered with a file that is not text (${type}).`);
  }
  const text = decodePage(contentType, body, kind);
  return kind === 'html' ? await convertPage(text, url.href, options) : { title: '', markdown: text };
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Not between the halves of a character.
  const kept = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n\n[The page goes on; ${text.length - kept.length} more characters were left out.]`;
}
