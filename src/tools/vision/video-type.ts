/** What kind of video bytes are: by how they begin, whatever their name says. */

/** As models take them. */
export type VideoType = 'video/mp4' | 'video/webm' | 'video/mov' | 'video/mpeg';

/** Brands of an ISO file that hold a picture or a sound alone. https://mp4ra.org/registered-types/brands */
const noVideo = /^(?:M4A |M4B |M4P |avif|avis|heic|heix|heim|heis|hevc|mif1|msf1|crx )/;
/** The first atoms of QuickTime files from before there were brands. */
const oldQuickTime: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'pnot']);

/**
 * Undefined for what is none. AVI and Matroska go as MP4: those who take videos look at the bytes, and refuse names that
 * they do not know.
 */
export function videoTypeOf(bytes: Uint8Array): VideoType | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  const atom = start.slice(4, 8);
  if (atom === 'ftyp') {
    const brand = start.slice(8, 12);
    if (noVideo.test(brand)) return undefined;
    return brand === 'qt  ' ? 'video/mov' : 'video/mp4';
  }
  if (oldQuickTime.has(atom)) return 'video/mov';
  if (start.startsWith('\x1a\x45\xdf\xa3')) return start.includes('webm') ? 'video/webm' : 'video/mp4';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'AVI ') return 'video/mp4';
  return /^\0\0\x01[\xba\xb3]/.test(start) ? 'video/mpeg' : undefined;
}
