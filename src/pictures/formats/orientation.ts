/** How a camera was held, out of EXIF (which is TIFF). https://www.media.mit.edu/pia/Research/deepview/exif.html */

const orientationTag = 0x0112;
const maxEntries = 200;

/** 1 to 8; 1 where nothing is said or nothing can be read. */
export function orientationOf(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 14 || (order !== 'II' && order !== 'MM')) return 1;
  const short = (at: number): number => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const count = Math.min(short(start), maxEntries);
  for (let index = 0; index < count; index++) {
    const entry = start + 2 + index * 12;
    if (entry + 12 > tiff.length) return 1;
    if (short(entry) !== orientationTag) continue;
    const value = short(entry + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
