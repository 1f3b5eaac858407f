/**
 * Images in Anthropic's format.
 * https://docs.claude.com/en/docs/build-with-claude/vision
 */
import type { JsonObject } from '../../../lib/json.ts';
import { parseDataUrl } from '../data-url.ts';

/** What the API takes; anything else would have the whole request refused. */
const mediaTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** An image block of a `data:` or http(s) URL; a note in its place when the API cannot show it. */
export function toImageBlock(url: string): JsonObject {
  if (/^https?:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const image = parseDataUrl(url);
  if (image === undefined) return note('that cannot be opened');
  const mediaType = image.mediaType === 'image/jpg' ? 'image/jpeg' : image.mediaType;
  if (!mediaTypes.has(mediaType)) return note(`of type ${mediaType.slice(0, 40)}, which cannot be shown`);
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: image.base64 } };
}

function note(what: string): JsonObject {
  return { type: 'text', text: `(an image ${what})` };
}
