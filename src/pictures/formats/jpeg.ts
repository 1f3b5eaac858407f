/** JPEG: the segments that say what the pixels are. https://www.w3.org/Graphics/JPEG/itu-t81.pdf */
import type { PlainPicture } from './plain.ts';
import { orientationOf } from './orientation.ts';

const startOfScan = 0xda;
const endOfImage = 0xd9;
const appZero = 0xe0;
const appOne = 0xe1;
/** Adobe's: without it the colours of some pictures are wrong. */
const appFourteen = 0xee;
const appLast = 0xef;
const comment = 0xfe;
const exif = 'Exif\0\0';
/** A JFIF segment without a thumbnail. */
const shortJfif = 16;

export function plainJpeg(bytes: Buffer): PlainPicture | undefined {
  const parts = [bytes.subarray(0, 2)];
  let [width, height, orientation, scans] = [0, 0, 1, 0];
  for (let at = 2; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    // Any number of FF may stand before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) break;
    const end = isAlone(marker) ? at + 2 : at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return undefined;
    if (isFrame(marker)) {
      height = Math.max(height, bytes.readUInt16BE(at + 5));
      width = Math.max(width, bytes.readUInt16BE(at + 7));
    }
    if (marker === appOne && bytes.toString('latin1', at + 4, at + 10) === exif) {
      orientation = orientationOf(bytes.subarray(at + 10, end));
    }
    const next = marker === startOfScan ? endOfScan(bytes, end) : end;
    if (marker === startOfScan) scans += 1;
    if (isKept(marker, end - at - 2)) parts.push(bytes.subarray(at, next));
    at = next;
  }
  if (scans === 0) return undefined;
  // One that was cut on its way shows what came.
  parts.push(Buffer.from([0xff, endOfImage]));
  return { bytes: Buffer.concat(parts), width, height, orientation };
}

function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isKept(marker: number, length: number): boolean {
  if (marker === comment) return false;
  if (marker === appZero) return length === shortJfif;
  return marker < appZero || marker > appLast || marker === appFourteen;
}

/** Where the next marker stands; in the data FF is followed by 00, or by a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1];
    if (marker === undefined) return bytes.length;
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
  }
  return bytes.length;
}
