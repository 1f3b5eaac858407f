/** Reads what a message holds: text and pictures, in the forms of both interfaces of OpenAI. */
import * as z from 'zod';
import { isLocalHost } from '../../lib/local-host.ts';
import type { Content, ContentPart, ImagePart } from '../../llm/message.ts';
import { HttpError } from '../answers.ts';

const maxTextChars = 65_536;
const maxParts = 1000;

/** `place` names the field in errors. Throws `HttpError` for what no model can be given. */
export function readContent(value: unknown, place: string): Content {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) throw badPart('it must be a text or a list of parts', place);
  if (value.length > maxParts) throw badPart(`it has more than ${maxParts} parts`, place);
  const parts = value.map((part) => readPart(part, place));
  return parts.every(({ type }) => type === 'text') ? parts.map(textOfPart).join('\n') : parts;
}

/** Neither a text nor a picture. */
export function isEmpty(content: Content): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((part) => part.type === 'text' && part.text.trim() === '');
}

const textTypes: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);
const imageTypes: ReadonlySet<string> = new Set(['image_url', 'input_image']);
const typed = z.looseObject({ type: z.string() });
const imageUrl = z.union([
  z.string().transform((url) => ({ url, detail: undefined })),
  z.looseObject({ url: z.string(), detail: z.unknown().optional() }),
]);

function readPart(part: unknown, place: string): ContentPart {
  if (typeof part === 'string') return { type: 'text', text: bounded(part) };
  const { data } = typed.safeParse(part);
  if (data === undefined) throw badPart('a part must be a text or have a type', place);
  if (textTypes.has(data.type))
    return { type: 'text', text: bounded(typeof data['text'] === 'string' ? data['text'] : '') };
  if (imageTypes.has(data.type)) return readImage(data, place);
  throw unsupported(`Content of the type ${JSON.stringify(data.type.slice(0, 40))} is not supported.`, place);
}

/** The rest is left out, and that it is can be read in its place. */
function bounded(text: string): string {
  if (text.length <= maxTextChars) return text;
  return `${text.slice(0, maxTextChars).toWellFormed()}\n[${text.length - maxTextChars} more characters were left out]`;
}

function readImage(part: z.infer<typeof typed>, place: string): ImagePart {
  const { data } = imageUrl.safeParse(part['image_url']);
  const url = data?.url.trim() ?? '';
  const detail = readDetail(data?.detail ?? part['detail'], place);
  if (/^data:/i.test(url)) {
    if (!/^data:image\/[\w.+-]+[;,]/i.test(url)) throw unsupported('Only pictures may come as data: URLs.', place);
  } else checkImageAddress(url, place);
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

function readDetail(value: unknown, place: string): 'auto' | 'low' | 'high' | undefined {
  if (value === undefined || value === null) return undefined;
  const known = (['auto', 'low', 'high'] as const).find((detail) => detail === value);
  if (known === undefined) throw badPart('the detail of a picture is auto, low or high', place);
  return known;
}

/** Whoever fetches it must not be sent into this network. */
function checkImageAddress(address: string, place: string): void {
  const url = URL.parse(address);
  const why =
    url === null || !['http:', 'https:'].includes(url.protocol)
      ? 'A picture must be an http(s) or a data:image/… URL.'
      : isLocalHost(url.hostname)
        ? 'A picture cannot come from an address of a private network.'
        : undefined;
  if (why !== undefined) throw new HttpError(400, why, { code: 'invalid_image_url', param: place });
}

function unsupported(message: string, param: string): HttpError {
  return new HttpError(400, message, { code: 'unsupported_content_type', param });
}

function badPart(why: string, param: string): HttpError {
  return new HttpError(400, `Invalid content: ${why}.`, { code: 'invalid_content_part', param });
}

function textOfPart(part: ContentPart): string {
  return part.type === 'text' ? part.text : '';
}
