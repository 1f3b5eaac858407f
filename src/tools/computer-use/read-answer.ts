/** What the driver answers, read at the door. */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

export interface DriverAnswer {
  readonly text: string;
  /** What is told as data. */
  readonly facts: JsonObject;
  readonly picture: Buffer | undefined;
  readonly isError: boolean;
}

const part = z.looseObject({ type: z.string(), text: z.string().optional(), data: z.string().optional() });

const answerShape = z.looseObject({
  content: z.array(part).catch([]),
  structuredContent: z.custom<JsonObject>(isJsonObject).optional().catch(undefined),
  isError: z.boolean().catch(false),
});

/** A picture of the largest screens, as base64. */
const maxPictureChars = 70_000_000;
const maxTextChars = 400_000;

/** Throws `UserError` when it is no answer of a tool. */
export function readAnswer(raw: unknown): DriverAnswer {
  const read = answerShape.safeParse(raw);
  if (!read.success) throw new UserError('cua-driver answered with something that is no result of a tool.');
  const { content, structuredContent, isError } = read.data;
  const text = content
    .flatMap((piece) => (piece.type === 'text' && piece.text !== undefined ? [piece.text] : []))
    .join('\n')
    .slice(0, maxTextChars);
  const facts = structuredContent ?? objectIn(text);
  const image = content.find(({ type, data }) => type === 'image' && data !== undefined)?.data;
  const encoded = image ?? textIn(facts, 'screenshot_png_b64') ?? textIn(facts, 'png_b64');
  const picture = encoded === undefined || encoded === '' ? undefined : encoded;
  if (picture !== undefined && picture.length > maxPictureChars)
    throw new UserError('The picture of the desktop is too large.');
  return { text, facts, picture: picture === undefined ? undefined : Buffer.from(picture, 'base64'), isError };
}

/** Older drivers write their data as text. */
function objectIn(text: string): JsonObject {
  const value = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  return isJsonObject(value) ? value : {};
}

export function textIn(facts: JsonObject, name: string): string | undefined {
  const value = facts[name];
  return typeof value === 'string' ? value : undefined;
}
