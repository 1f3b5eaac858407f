/**
 * Videos in the format of MiniMax, which is Anthropic's with this block in it.
 * https://platform.minimax.io/docs/api-reference/text-anthropic-api
 */
import type { JsonObject } from '../../../lib/json.ts';
import { parseDataUrl } from '../data-url.ts';
import { noVideos } from '../no-videos.ts';

/** Throws `ModelError` where the endpoint takes no videos, as Anthropic's own. */
export function toVideoBlock(url: string, isTaken: boolean): JsonObject {
  if (!isTaken) throw noVideos("Anthropic's format");
  const video = parseDataUrl(url);
  if (video === undefined) return { type: 'text', text: '(a video that cannot be opened)' };
  return { type: 'video', source: { type: 'base64', media_type: video.mediaType, data: video.base64 } };
}
