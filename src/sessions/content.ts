/** How message content becomes one text column and comes back: strings as they are, part lists as marked JSON. */
import { isJsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import type { Content, ContentPart } from '../llm/message.ts';
import { wellFormed, wellFormedJson } from './well-formed.ts';

// No text has it: NUL is replaced in every string.
const MARK = '\0json:';
// How earlier builds marked a list: plain JSON with a tab, which no common formatter puts there.
const OLD_MARK = '[\t';

/** The column's text. Lone surrogates and NUL are replaced. */
export function encodeContent(content: Content | null): string | null {
  if (content === null) return null;
  if (typeof content !== 'string') return encodeParts(content);
  const plain = wellFormed(content);
  // A string that would read back as parts (someone quoted this very column) is kept as the text of one part.
  return typeof decodeContent(plain) === 'string' ? plain : encodeParts([{ type: 'text', text: plain }]);
}

/** The content; text that only claims to be a part list comes back as text. */
export function decodeContent(stored: string): Content {
  if (!isPartList(stored)) return stored;
  const list = parseJson(stored.startsWith(MARK) ? stored.slice(MARK.length) : stored);
  if (!Array.isArray(list)) return stored;
  const parts = list.flatMap((item) => readPart(item) ?? []);
  return parts.length === list.length || stored.startsWith(MARK) ? parts : stored;
}

/** True when the column holds a part list; such text must not be cut before it is decoded. */
export function isPartList(stored: string): boolean {
  return stored.startsWith(MARK) || stored.startsWith(OLD_MARK);
}

function encodeParts(parts: readonly ContentPart[]): string {
  return MARK + wellFormedJson(parts);
}

function readPart(item: JsonValue): ContentPart | undefined {
  if (!isJsonObject(item)) return undefined;
  const { type, text, image_url: image } = item;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type !== 'image_url' || !isJsonObject(image) || typeof image['url'] !== 'string') return undefined;
  const detail = readDetail(image['detail']);
  return { type, image_url: { url: image['url'], ...(detail && { detail }) } };
}

function readDetail(value: JsonValue | undefined): 'auto' | 'low' | 'high' | undefined {
  const known = ['auto', 'low', 'high'] as const;
  return known.find((detail) => detail === value);
}
