/** What the bytes of a web answer are, and their text. */
import { TextDecoder } from 'node:util';

export type PageKind = 'html' | 'text' | 'pdf' | 'binary';

/** Judged by the Content-Type; by the bytes where that is missing, and where they cannot be what it says. */
export function kindOf(contentType: string | undefined, bytes: Uint8Array): PageKind {
  const type = mediaType(contentType);
  if (type === 'application/pdf' || startsWith(bytes, '%PDF-')) return 'pdf';
  const isWide = markOf(bytes)?.startsWith('utf-16') === true || /^utf-?16/i.test(charsetParameter(contentType) ?? '');
  if (!isWide && bytes.subarray(0, 4_096).includes(0)) return 'binary';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === '' || type === 'application/octet-stream') return looksLikeHtml(bytes) ? 'html' : 'text';
  return textTypes.test(type) ? 'text' : 'binary';
}

/** By byte order mark, header, the page's own word, and else UTF-8, or windows-1252 where it is not valid UTF-8. */
export function decodePage(contentType: string | undefined, bytes: Uint8Array, kind: 'html' | 'text'): string {
  const named = markOf(bytes) ?? charsetParameter(contentType) ?? (kind === 'html' ? charsetOfMeta(bytes) : undefined);
  const decoder = named === undefined ? undefined : decoderOf(named);
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8; windows-1252 is what such pages are in (https://encoding.spec.whatwg.org/#names-and-labels).
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The type without parameters, in small letters; empty when there is none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const textTypes =
  /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonlines|x-sh|sql|graphql|rtf)$/;

function charsetParameter(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType ?? '')?.[1];
}

function charsetOfMeta(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 2_048));
  const named = /<meta\s[^>]*?charset\s*=\s*["']?\s*([^"'\s/>;]+)/i.exec(start)?.[1];
  // What could be read byte by byte to find this cannot be UTF-16.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named;
}

function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    // A label that no decoder knows says nothing.
    return undefined;
  }
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 1_024));
  return /^\s*(?:<!--[^]*?-->\s*)*<(?:!doctype html|html|head|body|title|meta|div|p|h1|script|table)[\s>]/i.test(start);
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, text.length)).toString('latin1') === text;
}
