/** Text and images of user messages and tool results as content parts of the Responses API. */
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { Content, ContentPart } from '../../message.ts';
import { parseDataUrl } from '../data-url.ts';
import { noVideos } from '../no-videos.ts';

/** Content of a user message; never empty. */
export function userContent(content: Content): JsonValue {
  return filledContent(content) ?? '(empty message)';
}

/** Output of a tool call; never empty. Images stay where they stand. */
export function toolOutput(content: Content): JsonValue {
  return filledContent(content) ?? '(no output)';
}

/** Undefined when nothing is in it. */
function filledContent(content: Content): JsonValue | undefined {
  if (typeof content === 'string') return content.trim() === '' ? undefined : content;
  const parts = content.filter((part) => part.type !== 'text' || part.text.trim() !== '').map(toPart);
  return parts.length === 0 ? undefined : parts;
}

function toPart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (part.type === 'video_url') throw noVideos('The Responses format');
  const { url, detail = 'auto' } = part.image_url;
  const problem = imageProblem(url);
  if (problem !== undefined) return { type: 'input_text', text: `(an image ${problem})` };
  return { type: 'input_image', image_url: url.replace(/^data:image\/jpg(?=[;,])/i, 'data:image/jpeg'), detail };
}

/** What the API shows to a model; anything else would have the whole request refused. */
const mediaTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/jpg', 'image/png', 'image/gif', 'image/webp']);

function imageProblem(url: string): string | undefined {
  if (/^https?:\/\//i.test(url)) return undefined;
  const image = parseDataUrl(url);
  if (image === undefined) return 'that cannot be opened';
  return mediaTypes.has(image.mediaType) ? undefined : `of type ${image.mediaType.slice(0, 40)}, which cannot be shown`;
}
