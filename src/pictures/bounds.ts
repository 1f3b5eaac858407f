/** How large pictures are taken, and how large they are sent. */

/** What is taken in at all: a photo of the largest cameras. */
export const maxPictureBytes = 50 * 1024 * 1024;
/** More pixels are not decoded: four bytes each, twice. */
export const maxPixels = 64_000_000;
/**
 * Of the longer side, as it is sent. Providers make larger ones smaller themselves, and Anthropic refuses a request of more
 * than 20 pictures when one of them is larger. https://docs.claude.com/en/docs/build-with-claude/vision
 */
export const maxSide = 2000;
/** As it is sent; a third more as base64, of which Anthropic takes 5 MB. */
export const maxSentBytes = 3 * 1024 * 1024;
/** What has to be made smaller becomes a JPEG rather than a PNG of more than this. */
export const maxMadePngBytes = 1.5 * 1024 * 1024;
