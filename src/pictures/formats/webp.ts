/** WebP: the chunks that say what the pixels are. https://developers.google.com/speed/webp/docs/riff_container */
import type { PlainPicture } from './plain.ts';
import { orientationOf } from './orientation.ts';

const kept: ReadonlySet<string> = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF']);
/** Of the extended header: colour profile, EXIF, XMP. */
const told = 0x20 | 0x08 | 0x04;

export function plainWebp(bytes: Buffer): PlainPicture | undefined {
  const chunks: Buffer[] = [];
  let [width, height, orientation] = [0, 0, 1];
  const whole = Math.min(bytes.length, 8 + bytes.readUInt32LE(4));
  for (let at = 12; at + 8 <= whole; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (data.length < length) return undefined;
    const size = sizeOf(name, data);
    [width, height] = [Math.max(width, size.width), Math.max(height, size.height)];
    if (name === 'EXIF') orientation = orientationOf(withoutPrefix(data));
    if (kept.has(name)) chunks.push(name === 'VP8X' ? quietHeader(bytes, at, end) : bytes.subarray(at, end));
    at = end;
  }
  if (width === 0) return undefined;
  const body = Buffer.concat(chunks);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  return { bytes: Buffer.concat([head, body]), width, height, orientation };
}

function sizeOf(name: string, data: Buffer): { readonly width: number; readonly height: number } {
  if (name === 'VP8X') return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  if (name === 'VP8 ') return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  if (name === 'VP8L') {
    const bits = data.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (name === 'ANMF') return { width: data.readUIntLE(6, 3) + 1, height: data.readUIntLE(9, 3) + 1 };
  return { width: 0, height: 0 };
}

/** Some programs put the words in front that stand there in JPEG. */
function withoutPrefix(data: Buffer): Buffer {
  return data.toString('latin1', 0, 6) === 'Exif\0\0' ? data.subarray(6) : data;
}

function quietHeader(bytes: Buffer, at: number, end: number): Buffer {
  const header = Buffer.from(bytes.subarray(at, end));
  header.writeUInt8(header.readUInt8(8) & ~told, 8);
  return header;
}
