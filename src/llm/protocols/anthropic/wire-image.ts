/** Images in Anthropic's format. */
import type { JsonObject } from '../../../lib/json.ts';

/** What the API takes; anything else would have the whole request refused. */
const mediaTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** An image block of a `data:` or http(s) URL; a note in its place when the API cannot show it. */
export function toImageBlock(url: string): JsonObject {
  if (/^https?:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const match = /^data:([^;,]*)((?:;[^;,]*)*),/i.exec(url);
  if (match === null) return note('with an address that cannot be opened');
  const named = (match[1] ?? '').toLowerCase();
  const mediaType = named === 'image/jpg' ? 'image/jpeg' : named;
  if (!mediaTypes.has(mediaType)) return note(`of type ${named.slice(0, 40) || 'unknown'}, which cannot be shown`);
  const written = url.slice(match[0].length);
  const data = /;base64$/i.test(match[2] ?? '') ? written : toBase64(written);
  if (data === '') return note('without content');
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function note(what: string): JsonObject {
  return { type: 'text', text: `(an image ${what})` };
}

/** Percent-encoded bytes. */
function toBase64(written: string): string {
  const bytes = written.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('base64');
}
