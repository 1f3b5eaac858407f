/** A picture as it stands in a message. */
import type { ImagePart } from '../llm/message.ts';
import type { PictureType } from './kind.ts';

export interface EncodedPicture {
  readonly bytes: Buffer;
  readonly type: PictureType;
}

export function partOf({ bytes, type }: EncodedPicture): ImagePart {
  return { type: 'image_url', image_url: { url: `data:${type};base64,${bytes.toString('base64')}` } };
}
