/** Scripts that read something of a page, and what comes of them. */
import * as z from 'zod';

const maxImages = 100;
const maxAttributeChars = 500;

/** Of the value of an expression, as JSON. */
export const maxValueChars = 20_000;

export function tooLarge(chars: number): string {
  return `The value has ${chars} characters as JSON, more than ${maxValueChars}: ask for less of it.`;
}

export const foundImages = z.array(
  z.object({ src: z.string(), alt: z.string(), width: z.number(), height: z.number() }),
);

/** What is written into the page itself has no address. */
export const imagesScript = `[...document.images]
  .map((image) => ({ src: image.currentSrc || image.src, alt: image.alt, width: image.naturalWidth, height: image.naturalHeight }))
  .filter(({ src }) => src !== '' && !src.startsWith('data:'))
  .slice(0, ${maxImages})
  .map((image) => ({ ...image, src: image.src.slice(0, ${maxAttributeChars}), alt: image.alt.slice(0, ${maxAttributeChars}) }))`;
