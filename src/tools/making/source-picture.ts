/** A picture that goes along to a service. */
import type { EncodedPicture } from '../../pictures/part.ts';

export interface SourcePicture extends EncodedPicture {
  /** Where it came from, when that is an address on the web. */
  readonly address?: string;
}

export function dataUrl({ bytes, type }: EncodedPicture): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}
